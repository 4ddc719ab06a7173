// The process that reads pictures. The parent (`ocr.ts`) starts it, sends one picture after the
// other, and kills it when one takes too long; whatever a hostile picture does to a decoder or
// recogniser ends here.
import { readGrayRaster } from '../media/gray-raster.ts';
import { type OcrReply, parseOcrRequest } from './ocr-protocol.ts';
import { chooseReadingScale, eraseAreas } from './prepare-raster.ts';
import { type CodeReader, createCodeReader } from './read-codes.ts';
import { createTextRecognizer, type TextRecognizer } from './recognize-text.ts';

let codeReader: Promise<CodeReader> | undefined;
let recognizer: Promise<TextRecognizer> | undefined;

async function readPicture(id: number, bytes: Uint8Array): Promise<void> {
  codeReader ??= createCodeReader();
  recognizer ??= createTextRecognizer();
  const [codesOf, textOf] = await Promise.all([codeReader, recognizer]);
  reply({ id, type: 'started' });
  const raster = await readGrayRaster(bytes, chooseReadingScale);
  const codes = await codesOf.read(raster);
  reply({ id, type: 'codes', codes: codes.map(({ kind, text }) => ({ kind, text })) });
  const withoutCodes = eraseAreas(
    raster,
    codes.map(({ area }) => area),
  );
  reply({ id, type: 'text', lines: await textOf.recognize(withoutCodes) });
}

function reply(message: OcrReply): void {
  process.send?.(message);
}

process.on('message', (message) => {
  const request = parseOcrRequest(message);
  if (request === undefined) return;
  readPicture(request.id, request.bytes).catch(() => reply({ id: request.id, type: 'failed' }));
});
// The parent is gone: nobody is waiting for an answer.
process.on('disconnect', () => process.exit(0));
