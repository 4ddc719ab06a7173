/** Where in a request body an endpoint says the fault is: `input[5].output[3]` is list, item and part. */
export interface PicturePosition {
  readonly list: 'messages' | 'input';
  readonly itemIndex: number;
  /** Absent when only the message is named. */
  readonly partIndex?: number;
  /** Messages: the part inside a `tool_result`. */
  readonly innerIndex?: number;
}

/** `messages.3.content.1`, `messages[3]`, `messages.[3].role`, `input[5].output[3].image_url`. */
const PATHS = /\b(messages|input)((?:\.?\[\d{1,6}\]|\.\w+)+)/g;

/**
 * The places that a param, a list of paths or the words of an error name, in their order and each
 * once. Indices are those of the wire's own list. Words without a place give none.
 */
export function parsePicturePositions(text: string): readonly PicturePosition[] {
  const found = new Map<string, PicturePosition>();
  for (const [, list, path] of text.matchAll(PATHS)) {
    const position = toPosition(list === 'input' ? 'input' : 'messages', path ?? '');
    if (position !== undefined) found.set(JSON.stringify(position), position);
  }
  return [...found.values()];
}

function toPosition(list: PicturePosition['list'], path: string): PicturePosition | undefined {
  // Names such as `base64` hold digits, too: only whole steps count.
  const steps = path.split(/[.[\]]+/).filter((step) => /^\d{1,6}$/.test(step));
  const [itemIndex, partIndex, innerIndex] = steps.map(Number);
  if (itemIndex === undefined) return undefined;
  return {
    list,
    itemIndex,
    ...(partIndex !== undefined && { partIndex }),
    ...(innerIndex !== undefined && { innerIndex }),
  };
}
