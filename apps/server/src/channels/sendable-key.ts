/** Whether a header can carry the key: no control characters, nothing beyond Latin-1. Source: RFC 9110 section 5.5. */
export function isSendableKey(key: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]+$/.test(key);
}
