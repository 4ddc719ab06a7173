import { describe, expect, it } from 'vitest';
import { countPatches28, fitIntoPatches } from './fit-into-patches.ts';
import { estimateImageTokens } from './image-tokens.ts';
import { type TokenFamily, tokenFamilies } from './token-family.ts';

type Row = readonly [widthPx: number, heightPx: number, ...tokens: (number | undefined)[]];

function expectTable(families: readonly (readonly [TokenFamily, string?])[], rows: readonly Row[]): void {
  const found: Record<string, number> = {};
  const wanted: Record<string, number> = {};
  for (const [widthPx, heightPx, ...tokens] of rows) {
    families.forEach(([family, detail], column) => {
      const expected = tokens[column];
      if (expected === undefined) return;
      const name = `${family} ${detail ?? 'auto'} ${widthPx}x${heightPx}`;
      wanted[name] = expected;
      found[name] = estimateImageTokens({ family, widthPx, heightPx, detail });
    });
  }
  expect(found).toEqual(wanted);
}

describe('estimateImageTokens', () => {
  it('gives the published and measured costs of Anthropic, standard and high resolution', () => {
    expectTable(
      [['anthropic-standard'], ['anthropic-high']],
      [
        [200, 200, 64, 64],
        [1000, 1000, 1296, 1296],
        [1092, 1092, 1521, 1521],
        [1920, 1080, 1560, 2691],
        [2000, 1500, 1564, 3888],
        [3840, 2160, 1560, 4784],
        [1075, 1520, 1551, 2145],
        [4032, 3024, 1564, 4740],
      ],
    );
  });

  it('gives the costs of the OpenAI patch models of 5.4 to 6', () => {
    expectTable(
      [
        ['openai-gpt-5.6'],
        ['openai-gpt-5.6', 'high'],
        ['openai-gpt-5.5'],
        ['openai-gpt-5.4'],
        ['openai-gpt-5.4', 'original'],
      ],
      [
        [256, 256, 77, 77, 77, 77, 77],
        [1024, 1024, 1229, 1229, 1229, 1229, 1229],
        [1920, 1080, 2448, 2448, 2448, 2448, 2448],
        [2560, 1440, 4320, 2931, 4320, 2931, 4320],
        [3840, 2160, 9792, 2931, 9792, 2931, 9792],
        [4032, 3024, 14364, 2942, 11868, 2942, 11868],
      ],
    );
  });

  it('gives the costs of the OpenAI models with a budget of 1536 patches', () => {
    expectTable(
      [['openai-mini'], ['openai-nano'], ['openai-o4-mini']],
      [
        [1024, 1024, 1659, 2520, 1762],
        [1800, 2400, 2353, 3572, 2498],
      ],
    );
  });

  it('gives the costs of the OpenAI tile models, and the base alone for low detail', () => {
    const families = ['openai-gpt-4o', 'openai-gpt-5', 'openai-o-series', 'openai-gpt-4o-mini'] as const;
    expectTable(
      families.map((family) => [family] as const),
      [
        [512, 512, 255, 210, 225, 8500],
        [800, 600, 765, 630, 675, 25501],
        [1024, 1024, 765, 630, 675, 25501],
        [1920, 1080, 1105, 910, 975, 36835],
        [2048, 4096, 1105, 910, 975, 36835],
        [4096, 8192, 1105, 910, 975, 36835],
      ],
    );
    expectTable(
      families.map((family) => [family, 'low'] as const),
      [[4096, 8192, 85, 70, 75, 2833]],
    );
    expectTable([['openai-computer-use']], [[1024, 1024, 65 + 4 * 129]]);
  });

  it('gives the costs of Gemini', () => {
    expectTable(
      [['gemini-2'], ['gemini-3']],
      [
        [200, 200, 258, 1120],
        [384, 384, 258, 1120],
        [960, 540, 1548, 1120],
        [1024, 1024, 1032, 1120],
        [1920, 1080, 1548, 1120],
        [4032, 3024, 6192, 1120],
      ],
    );
  });

  it('gives the costs of Qwen for both patch sizes and both caps', () => {
    expectTable(
      [['qwen-28-high-resolution'], ['qwen-28'], ['qwen-32'], ['qwen-28', 'low']],
      [
        [224, 448, 128, 128, 98, 256],
        [512, 512, 324, 324, 256, 256],
        [1024, 1024, 1369, 1225, 1024, 256],
        [1920, 1080, 2691, 1222, 2040, 256],
        [3172, 4096, 16240, 1240, 12672, 256],
        [4032, 3024, 15552, 1230, 11970, 256],
      ],
    );
  });

  it('gives the costs of the families with a rule of one line', () => {
    expectTable(
      [
        ['deepseek'],
        ['doubao'],
        ['doubao', 'low'],
        ['kimi'],
        ['ollama'],
        ['together'],
        ['grok'],
        ['unknown'],
        ['offline'],
      ],
      [
        [280, 280, 400, 100, 100, 1024, 768, 1601, 512, 1000, 0],
        [1568, 1176, 400, 2352, 1312, 2352, 768, 6404, 1792, 1000, 0],
        [4032, 3024, 400, 5120, 1312, 4096, 768, 6404, 1792, 1000, 0],
      ],
    );
  });

  it('costs at least one token and never a fraction, for slivers and dots, in every family', () => {
    for (const family of Object.keys(tokenFamilies) as TokenFamily[]) {
      if (family === 'offline') continue;
      for (const [widthPx, heightPx] of [
        [1, 1],
        [30_000, 1],
        [1, 30_000],
        [8000, 5000],
      ] as const) {
        for (const detail of ['low', 'high', 'auto', 'original', undefined]) {
          const tokens = estimateImageTokens({ family, widthPx, heightPx, detail });
          expect(Number.isInteger(tokens) && tokens >= 1, `${family} ${widthPx}x${heightPx} ${detail}`).toBe(true);
        }
      }
    }
  });

  it('never costs more for a smaller copy under a patch budget', () => {
    const full = estimateImageTokens({ family: 'openai-gpt-5.5', widthPx: 7000, heightPx: 100 });
    const limited = estimateImageTokens({ family: 'openai-gpt-5.5', widthPx: 6000, heightPx: 85 });
    expect(full).toBe(limited);
  });
});

describe('fitIntoPatches', () => {
  it('gives the sizes that Anthropic documents', () => {
    const standard = { edgePx: 1568, maxPatches: 1568 };
    const high = { edgePx: 2576, maxPatches: 4784 };
    expect(fitIntoPatches({ widthPx: 1920, heightPx: 1080, ...standard })).toEqual({ widthPx: 1456, heightPx: 819 });
    expect(fitIntoPatches({ widthPx: 2000, heightPx: 1500, ...standard })).toEqual({ widthPx: 1270, heightPx: 952 });
    expect(fitIntoPatches({ widthPx: 1075, heightPx: 1520, ...standard })).toEqual({ widthPx: 924, heightPx: 1307 });
    expect(fitIntoPatches({ widthPx: 3840, heightPx: 2160, ...high })).toEqual({ widthPx: 2576, heightPx: 1449 });
    expect(fitIntoPatches({ widthPx: 4032, heightPx: 3024, ...high })).toEqual({ widthPx: 2212, heightPx: 1659 });
  });

  it('leaves a picture that fits as it is, and keeps a sliver one pixel wide', () => {
    expect(fitIntoPatches({ widthPx: 64, heightPx: 40, edgePx: 1568, maxPatches: 1568 })).toEqual({
      widthPx: 64,
      heightPx: 40,
    });
    const sliver = fitIntoPatches({ widthPx: 1, heightPx: 20_000, edgePx: 1568, maxPatches: 1568 });
    expect(sliver).toEqual({ widthPx: 1, heightPx: 1568 });
    expect(countPatches28(sliver.widthPx, sliver.heightPx)).toBe(56);
  });
});
