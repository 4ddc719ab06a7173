import { describe, expect, it } from 'vitest';
import { parseOcrReply, parseOcrRequest } from './ocr-protocol.ts';

describe('parseOcrRequest', () => {
  it('takes a picture with its id and nothing else', () => {
    const bytes = Uint8Array.from([1, 2]);
    expect(parseOcrRequest({ id: 1, bytes })).toEqual({ id: 1, bytes });
    expect(parseOcrRequest({ id: 1, bytes: 'AQI=' })).toBeUndefined();
    expect(parseOcrRequest({ bytes })).toBeUndefined();
    expect(parseOcrRequest(undefined)).toBeUndefined();
  });
});

describe('parseOcrReply', () => {
  it('takes the four replies', () => {
    expect(parseOcrReply({ id: 1, type: 'started' })).toEqual({ id: 1, type: 'started' });
    expect(parseOcrReply({ id: 1, type: 'failed' })).toEqual({ id: 1, type: 'failed' });
    expect(parseOcrReply({ id: 1, type: 'text', lines: ['a', ''] })).toEqual({ id: 1, type: 'text', lines: ['a', ''] });
    const codes = [{ kind: 'QR Code', text: 'x' }];
    expect(parseOcrReply({ id: 1, type: 'codes', codes })).toEqual({ id: 1, type: 'codes', codes });
  });

  it('refuses anything else, because the child read a picture from a stranger', () => {
    expect(parseOcrReply({ id: '1', type: 'failed' })).toBeUndefined();
    expect(parseOcrReply({ id: 1, type: 'text', lines: ['a', 2] })).toBeUndefined();
    expect(parseOcrReply({ id: 1, type: 'text', lines: 'a' })).toBeUndefined();
    expect(parseOcrReply({ id: 1, type: 'codes', codes: [{ kind: 'QR Code' }] })).toBeUndefined();
    expect(parseOcrReply({ id: 1, type: 'run' })).toBeUndefined();
    expect(parseOcrReply('failed')).toBeUndefined();
  });
});
