export { type FileAccess, type ResolvedPath, resolvePath } from './access-policy.ts';
export { type AdmitBytesOptions, admitBytes, admitDataUri } from './admit-bytes.ts';
export { type AdmitImageOptions, type AdmittedImage, admitImage } from './admit-image.ts';
export { admitLegacyPictures } from './admit-legacy-pictures.ts';
export { type AdmitTurnOptions, admitTurn } from './admit-turn.ts';
export type { BlobSink } from './blob-sink.ts';
export { defaultForbidden, type ForbiddenFolders } from './default-forbidden.ts';
export { type AdmissionLimits, defaultLimits } from './limits.ts';
export { type OpenSource, openSource, type ReadOptions } from './open-source.ts';
