import { describe, expect, it } from 'vitest';
import { errorLine } from './error-texts.ts';

describe('errorLine', () => {
  it('puts a Chinese sentence before technical words, and none before what is Chinese already', () => {
    const code = 'ENDPOINT_FAILED';
    expect(errorLine({ code, message: 'boom' }, 'zh-CN')).toBe('端点自身出错(boom)');
    expect(errorLine({ code, message: '端点出错' }, 'zh-CN')).toBe('端点出错');
    expect(errorLine({ code, message: 'lab/seer', data: { localized: true } }, 'zh-CN')).toBe('lab/seer');
    expect(errorLine({ code, message: 'two\nlines' }, 'en')).toBe('two lines');
    expect(errorLine({ code: 'QUEUE_READ_ONLY', message: 'newer' }, 'en')).toBe('newer. Use the newer Fovea.');
  });
});
