import { AppError } from '../base/app-error.ts';
import { parseJson } from '../base/parse-json.ts';
import type { Codec } from './codec.ts';
import { readTheRest } from './store-error.ts';
import type { Tables } from './tables.ts';

/** Names a row in errors: never its content. */
export interface Place {
  readonly table: keyof Tables;
  readonly id: string;
}

/** For JSON in a text column, the same in both databases. */
export const textCodec: Pick<Codec, 'decodeJson'> = { decodeJson: (column) => parseJson(String(column)) };

/** The value of a JSON column. Throws `RECORD_INVALID`. */
export function decode(codec: Pick<Codec, 'decodeJson'>, column: unknown, place: Place): unknown {
  const decoded = codec.decodeJson(column);
  if (!decoded.ok) throw invalidRow(place);
  return decoded.value;
}

/** The value if it is of this form. Throws `RECORD_INVALID`. */
export function check<Value>(
  validator: { Check(value: unknown): value is Value },
  place: Place,
  value: unknown,
): Value {
  if (!validator.Check(value)) throw invalidRow(place);
  return value;
}

export function invalidRow(place: Place): AppError {
  const message = `the row ${place.id} of ${place.table} is not valid: ${readTheRest}`;
  return new AppError('RECORD_INVALID', message, { data: { ...place } });
}
