declare module 'omggif' {
  /** One frame as its descriptor says; `data_offset` is where its LZW data starts. */
  export interface GifFrame {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly data_offset: number;
  }

  export class GifReader {
    constructor(bytes: Uint8Array);
    readonly width: number;
    readonly height: number;
    numFrames(): number;
    frameInfo(frame: number): GifFrame;
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void;
  }

  export class GifWriter {
    constructor(buffer: Uint8Array, widthPx: number, heightPx: number, options: { palette: readonly number[] });
    addFrame(x: number, y: number, widthPx: number, heightPx: number, indexedPixels: Uint8Array): number;
    /** The size of the whole file. */
    end(): number;
  }
}
