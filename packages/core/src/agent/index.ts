export * from './create-prompt-head.ts';
export * from './ports.ts';
export * from './run-turn.ts';
export * from './turn-services.ts';
