export * from './ocr.ts';
export * from './offline-provider.ts';
export * from './text-reader.ts';
