export * from './raw-result.ts';
export * from './read-file-content.ts';
export { foreignEncoding } from './read-text.ts';
export * from './registry.ts';
export * from './tool.ts';
