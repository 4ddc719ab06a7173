export * from './build-context.ts';
export * from './notices.ts';
export { ATTACHED_MEDIA_PREFIX } from './texts.ts';
