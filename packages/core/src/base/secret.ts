const values = new WeakMap<Secret, string>();

/** A key that cannot be printed, logged or serialised by accident: it shows as `[secret]`. */
export class Secret {
  constructor(value: string) {
    values.set(this, value);
  }

  /** The value itself. Call it only where a header is written. */
  reveal(): string {
    return values.get(this) ?? '';
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
