import { describe, expect, it } from 'vitest';
import { findImageLink } from './find-image-link.ts';

const url = { url: 'https://example.org/a.png' };
const file = { file: { channel: 'lab', id: 'file-1' } };
const all = { channel: 'lab', url: true, fileId: true };

describe('findImageLink', () => {
  it('passes a URL through where the endpoint fetches URLs, up to its longest one', () => {
    expect(findImageLink(url, all)).toEqual({ type: 'image-link', link: url });
    expect(findImageLink(url, { ...all, url: false })).toBeUndefined();
    expect(findImageLink(url, { ...all, urlMaxLen: url.url.length })).toBeDefined();
    expect(findImageLink(url, { ...all, urlMaxLen: url.url.length - 1 })).toBeUndefined();
  });

  it('sends a file only to the channel that it belongs to', () => {
    expect(findImageLink(file, all)).toEqual({ type: 'image-link', link: { fileId: 'file-1' } });
    expect(findImageLink(file, { ...all, channel: 'other' })).toBeUndefined();
    expect(findImageLink(file, { ...all, fileId: false })).toBeUndefined();
    expect(findImageLink({ file: { channel: '', id: 'file-api-abc' } }, all)).toBeUndefined();
  });

  it('passes nothing where it is not known what the endpoint takes', () => {
    expect(findImageLink(url, undefined)).toBeUndefined();
    expect(findImageLink(file, undefined)).toBeUndefined();
  });
});
