export * from './fit-into-patches.ts';
export * from './image-tokens.ts';
export * from './limit-row.ts';
export * from './limits.ts';
export * from './models.ts';
export * from './suppliers.ts';
export * from './token-family.ts';
export * from './wire-api.ts';
