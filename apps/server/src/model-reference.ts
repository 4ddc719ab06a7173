/** A model as the user names it. */
export interface ModelReference {
  readonly channel: string;
  /** May contain slashes itself. */
  readonly model: string;
}

/** `channel/model`, split at the first slash; `undefined` when one of both is missing. */
export function parseModelReference(text: string): ModelReference | undefined {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) return undefined;
  return { channel: text.slice(0, slash), model: text.slice(slash + 1) };
}

export function formatModelReference(reference: ModelReference): string {
  return `${reference.channel}/${reference.model}`;
}
