export * from './create-prompt-head.ts';
export * from './find-new-instructions.ts';
export * from './ports.ts';
export * from './run-turn.ts';
export * from './secret-mask.ts';
export * from './session-usage.ts';
export * from './turn-services.ts';
export * from './undo-turn.ts';
