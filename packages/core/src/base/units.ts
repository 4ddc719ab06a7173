export const KIB = 1024;
export const MIB = 1024 * KIB;

const STEPS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/**
 * A size for people, in steps of 1024 with no or one decimal: `512 B`, `1.5 KB`, `245 KB`, `6.2 MB`.
 *
 * Source: first origin document, section 5.1 (its examples), requirement R012.
 */
export function formatBytes(sizeBytes: number): string {
  let value = sizeBytes;
  let step = 0;
  while (value >= 1024 && step < STEPS.length - 1) {
    value /= 1024;
    step += 1;
  }
  const isShownWithDecimal = (step === 1 && value < 10) || (step > 1 && value < 100);
  const rounded = isShownWithDecimal ? Math.round(value * 10) / 10 : Math.round(value);
  return `${rounded} ${STEPS[step] ?? 'TB'}`;
}
