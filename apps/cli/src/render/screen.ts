/** The terminal that something is drawn on. */
export interface Screen {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}
