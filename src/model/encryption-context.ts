/**
 * Pairs of strings that are bound to each use of a customer-managed key: what was encrypted with
 * other ones, or none, cannot be decrypted with these.
 */
export type EncryptionContext = Readonly<Record<string, string>>;

/**
 * Size of a context as `encryptionContextText` gives it; it stands in the head of every encrypted
 * object. Our choice: the key services of the clouds allow more.
 */
export const ENCRYPTION_CONTEXT_BYTES_MAX = 512;

/** The one text of a context: JSON with its keys in ascending order. */
export function encryptionContextText(context: EncryptionContext): string {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(pairs));
}
