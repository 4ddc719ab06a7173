export { type ColorName, type DominantColor, dominantColors } from './colors.ts';
export { digestOf } from './digest.ts';
export { claimsImage, findImageFormat, type ImageFormatRow, imageFormats } from './formats.ts';
export type { ImageFormat } from './image-layout.ts';
export type { ImageLimits } from './image-limits.ts';
export { loadSharp } from './load-sharp.ts';
export {
  type PixelRegion,
  type RegionFault,
  type RegionRequest,
  type ResolvedRegion,
  resolveRegion,
} from './region.ts';
export { isForeignMedia, type SniffedContent, sniffContent } from './sniff.ts';
export { makeThumbnail, THUMBNAIL_MEDIA_TYPE } from './thumbnail.ts';
export { makeVariant, VARIANT_POLICY_VERSION, type Variant, type VariantOptions, variantKey } from './variant.ts';
export { type ImageFacts, type VerifyOptions, verifyImage } from './verify.ts';
