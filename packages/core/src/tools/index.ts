export * from './registry.ts';
export * from './tool.ts';
