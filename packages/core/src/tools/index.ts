export * from './raw-result.ts';
export * from './registry.ts';
export * from './tool.ts';
