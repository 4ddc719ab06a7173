/** What was done to a picture on its way to the wire; `none` means the original's own bytes. */
export type VariantChange =
  | 'none'
  | 'metadata'
  | 'resized'
  | 'reencoded'
  | 'padded'
  | 'first-frame'
  | 'region'
  | 'file-id';
