import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Worker } from 'tesseract.js';
import { arrangeLines, type RecognizedLine, type RecognizedWord } from './arrange-lines.ts';
import { type GrayRaster, type PreparedRaster, prepareRaster } from './prepare-raster.ts';
import { splitLargePrint } from './split-large-print.ts';

/** Recognises text in rasters; loads its language data once. */
export interface TextRecognizer {
  recognize(raster: GrayRaster): Promise<readonly string[]>;
}

const require = createRequire(import.meta.url);

/** English first: the first language wins where both are possible. */
const LANGUAGES = ['eng', 'chi_sim'] as const;
/** The smaller and better of the two sets in each data package, made for the LSTM engine. */
const DATA_SET = '4.0.0_best_int';

/**
 * Starts the recogniser with language data from installed packages alone.
 *
 * Without `langPath` it would fetch its data from a CDN, and with a cache method other than `none`
 * it would leave files in the working folder. It takes one folder for all languages, but each
 * language is a package of its own: the second language is therefore written into its memory.
 */
export async function createTextRecognizer(): Promise<TextRecognizer> {
  const { createWorker, OEM, PSM } = (await import('tesseract.js')).default;
  const [first, second] = LANGUAGES;
  // The recogniser keeps this array as its list of loaded languages.
  const loaded: string[] = [first];
  const worker = await createWorker(loaded, OEM.LSTM_ONLY, {
    langPath: folderOf(first),
    gzip: true,
    cacheMethod: 'none',
  });
  await worker.FS('writeFile', [`${second}.traineddata`, await readLanguage(second)]);
  loaded.push(second);
  await worker.reinitialize(LANGUAGES.join('+'));
  await worker.setParameters({
    // Windows and dialogs have words here and there; page analysis would take buttons for pictures.
    tessedit_pageseg_mode: PSM.SPARSE_TEXT,
    // Keeps blanks out of Chinese.
    preserve_interword_spaces: '1',
    user_defined_dpi: '144',
  });
  return { recognize: (raster) => recognizeText(worker, raster) };
}

function folderOf(language: string): string {
  const entry = require.resolve(`@tesseract.js-data/${language}/package.json`);
  return entry.replace(/package\.json$/, DATA_SET);
}

async function readLanguage(language: string): Promise<Uint8Array> {
  return promisify(gunzip)(await readFile(`${folderOf(language)}/${language}.traineddata.gz`));
}

async function recognizeText(worker: Worker, raster: GrayRaster): Promise<readonly string[]> {
  const { layers, rest } = splitLargePrint(raster);
  const lines = [...(await recognizeOnBothGrounds(worker, rest))];
  for (const layer of layers) {
    const large = await recognizeLines(worker, layer.raster);
    lines.push(...large.map((line) => line.map((word) => enlargeBox(word, layer.factor))));
  }
  return arrangeLines(lines);
}

async function recognizeOnBothGrounds(worker: Worker, raster: GrayRaster): Promise<readonly RecognizedLine[]> {
  const prepared = prepareRaster(raster);
  const main = await recognizeLines(worker, prepared.main);
  if (prepared.opposite === undefined) return main;
  const opposite = await recognizeLines(worker, prepared.opposite);
  return [...keepArea(main, prepared, false), ...keepArea(opposite, prepared, true)];
}

function enlargeBox(word: RecognizedWord, factor: number): RecognizedWord {
  return {
    ...word,
    left: word.left * factor,
    top: word.top * factor,
    right: word.right * factor,
    bottom: word.bottom * factor,
  };
}

/** Each of the two passes sees only noise in the areas of the other one. */
function keepArea(
  lines: readonly RecognizedLine[],
  prepared: PreparedRaster,
  isOpposite: boolean,
): readonly RecognizedLine[] {
  return lines
    .map((line) =>
      line.filter((word) => {
        const x = Math.floor((word.left + word.right) / 2);
        const y = Math.floor((word.top + word.bottom) / 2);
        return prepared.isOpposite(x, y) === isOpposite;
      }),
    )
    .filter((line) => line.length > 0);
}

async function recognizeLines(worker: Worker, raster: GrayRaster): Promise<readonly RecognizedLine[]> {
  const { data } = await worker.recognize(encodePgm(raster), {}, { text: false, blocks: true });
  const lines: RecognizedLine[] = [];
  for (const block of data.blocks ?? []) {
    for (const line of block.paragraphs.flatMap((paragraph) => paragraph.lines)) {
      lines.push(
        line.words.map((word) => ({
          text: word.text,
          confidence: word.confidence,
          left: word.bbox.x0,
          top: word.bbox.y0,
          right: word.bbox.x1,
          bottom: word.bbox.y1,
        })),
      );
    }
  }
  return lines;
}

/** Portable graymap, binary: the plainest format that the recogniser reads. Source: netpbm, pgm(5). */
function encodePgm(raster: GrayRaster): Buffer {
  const header = Buffer.from(`P5\n${raster.widthPx} ${raster.heightPx}\n255\n`, 'latin1');
  return Buffer.concat([header, raster.data]);
}
