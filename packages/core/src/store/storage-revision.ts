/** The revision of the records that this build writes, and the newest that it reads. */
export const STORAGE_REVISION = 3;
