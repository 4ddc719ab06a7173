import type { Result } from '../../base/result.ts';
import type { PictureFacts } from './pictures/inspect-picture.ts';
import type { PictureSource } from './pictures/read-picture-url.ts';

/** Where a picture stands in a request. */
export interface PictureSlot {
  readonly messageIndex: number;
  readonly partIndex: number;
  readonly role: string | undefined;
  /** The last line of the text part right before it, if there is one. */
  readonly label: string | undefined;
  /** The path that errors name: `messages[1].content[0].image_url`. */
  readonly param: string;
  /** The path of its URL, where it is not `url` below `param`. */
  readonly urlParam?: string;
  /** The path of its `detail`, where it is not below `param`. */
  readonly detailParam?: string;
  /** The slot's object as it came; `undefined` when it is no object. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  /** Chat: it came as a string in place of the object. */
  readonly isBare?: true;
  /** What the slot holds, on wires where it is no `url`. */
  readonly source?: PictureSource;
}

/** A picture of a request with what was found out about it. */
export interface RequestPicture extends PictureSlot {
  readonly source: PictureSource;
  /** Absent when there are no bytes to look at. The error says what the decoder said. */
  readonly facts: Result<PictureFacts, string> | undefined;
}
