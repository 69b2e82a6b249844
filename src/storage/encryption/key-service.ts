import type { EncryptionContext } from "../../model/encryption-context.ts";

/**
 * Keeps customer-managed keys and never gives them out: it wraps and unwraps the data keys with
 * which objects are encrypted. Small enough for the key services of the clouds.
 */
export interface KeyService {
  /**
   * Encrypts a 32-byte data key with the key called `keyName`, and authenticates `context` with it.
   * Throws `invalid` if there is no such key, in the words of the wire contract. At most
   * `WRAPPED_KEY_BYTES_MAX` come back, or 188 bytes where there is a context.
   */
  wrap(keyName: string, dataKey: Uint8Array, context?: EncryptionContext): Promise<Uint8Array>;

  /**
   * Undoes `wrap` with the same `context`. Throws `unavailable` if the key is gone, or is not the
   * one that wrapped: its owner may bring it back, so this is no damage.
   */
  unwrap(keyName: string, wrapped: Uint8Array, context?: EncryptionContext): Promise<Uint8Array>;
}

/** Length of the data keys that `KeyService` wraps: AES-256. */
export const DATA_KEY_BYTES = 32;
