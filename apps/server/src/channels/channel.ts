import type { Secret } from '@fovea/core/base';
import type { ImageInputCapability, ModelPrice, ToolImagePlacement, WireApi } from '@fovea/core/catalog';
import type { LimitOverrides, ModelConfig } from '../config/config-schema.ts';

/** Where a channel's key comes from. It is looked up when the channel is used, not before. */
export type KeySource =
  | { readonly kind: 'none' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'literal'; readonly key: Secret }
  /** The supplier needs a key and the channel names none; `suggestion` is its well-known variable. */
  | { readonly kind: 'missing'; readonly suggestion: string };

/** One account at a supplier or one server, wherever it was found. */
export interface Channel {
  readonly name: string;
  readonly origin: 'config' | 'environment' | 'built-in';
  readonly supplierId: string;
  readonly wireApi: WireApi;
  readonly baseUrl: string;
  readonly key: KeySource;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly ChannelModel[];
  /** Whether models that are not listed may be asked for: true where the list is not the user's nor the server's. */
  readonly takesOtherModels: boolean;
  readonly limits: LimitOverrides;
  /** `undefined`: what the catalogue says. */
  readonly toolImages: ToolImagePlacement | undefined;
}

/** A model of a channel: what the user, the server or the catalogue says of it, in this order. */
export interface ChannelModel {
  readonly id: string;
  readonly imageInput: ImageInputCapability;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Absent where none is known. */
  readonly price?: ModelPrice;
  readonly settings: Pick<ModelConfig, 'temperature' | 'reasoningEffort' | 'extraBody'>;
}
