import { randomBytes } from 'node:crypto';
import type { Clock, IdSource } from '@fovea/core/base';

/** Crockford's base 32: digits and letters without I, L, O and U, in the order of their values. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/**
 * Ids of 26 digits after their prefix: 48 bits of time, 80 of chance, so that they cannot be
 * guessed and sort by their age as text, also within one millisecond and when the clock steps back.
 */
export function createIdSource(clock: Pick<Clock, 'nowMs'>): IdSource {
  let lastMs = -1;
  let chance: number[] = [];
  return {
    next(prefix) {
      const nowMs = clock.nowMs();
      if (nowMs > lastMs) {
        lastMs = nowMs;
        chance = drawChance();
      } else {
        chance = addOne(chance);
      }
      return `${prefix}_${encodeTime(lastMs)}${chance.map(digitOf).join('')}`;
    },
  };
}

function encodeTime(timeMs: number): string {
  let rest = timeMs;
  let text = '';
  for (let index = 0; index < TIME_DIGITS; index += 1) {
    text = digitOf(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}

/** The first digit stays below the highest, so that adding one has room. */
function drawChance(): number[] {
  return Array.from(
    randomBytes(RANDOM_DIGITS),
    (byte, index) => byte % (index === 0 ? DIGITS.length / 2 : DIGITS.length),
  );
}

function addOne(digits: readonly number[]): number[] {
  const next = [...digits];
  for (let index = next.length - 1; index >= 0; index -= 1) {
    const digit = next[index] ?? 0;
    if (digit < DIGITS.length - 1) {
      next[index] = digit + 1;
      return next;
    }
    next[index] = 0;
  }
  return next;
}

function digitOf(value: number): string {
  return DIGITS.charAt(value);
}
