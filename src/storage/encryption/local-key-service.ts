import { createCipheriv, createDecipheriv } from "node:crypto";
import { basename, join } from "node:path";
import { assert } from "../../base/assert.ts";
import { clip } from "../../base/bounded-text.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { type EncryptionContext, encryptionContextText } from "../../model/encryption-context.ts";
import { isSystemError, storageError, systemFiles } from "../directory/file-system.ts";
import { DATA_KEY_BYTES, type KeyService } from "./key-service.ts";

/** What a `LocalKeyService` needs. */
export interface LocalKeyServiceOptions {
  /** A key file, or a directory of key files; undefined if none is configured. */
  readonly path: string | undefined;
  readonly random: Random;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of a key's name messages quote as much as any key service allows. */
const QUOTED_KEY_CHARS = 1024;
const KEY_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Takes customer-managed keys from files: the file's name is the key's name, its content 32 bytes,
 * raw or in hex or base64. Files are read at each use, so that adding or removing one counts at
 * once.
 *
 * A wrapped data key is nonce (12 bytes), ciphertext (32), tag (16); the key's name and the context
 * are authenticated.
 */
export class LocalKeyService implements KeyService {
  readonly #path: string | undefined;
  readonly #random: Random;

  constructor({ path, random }: LocalKeyServiceOptions) {
    this.#path = path;
    this.#random = random;
  }

  /** Throws `invalid` if keys are configured and there is no file or directory to take them from. */
  async prepare(): Promise<void> {
    if (this.#path === undefined) return;
    try {
      if ((await systemFiles.stat(this.#path)).isDirectory()) await systemFiles.readdir(this.#path);
      else await systemFiles.readFile(this.#path);
    } catch (error) {
      const { message } = error as Error;
      const rule = "it must be a key file, or a directory of key files, that this user can read";
      throw invalid(`cannot use --encryption-keys ${this.#path}: ${message}; ${rule}`);
    }
  }

  async wrap(
    keyName: string,
    dataKey: Uint8Array,
    context?: EncryptionContext,
  ): Promise<Uint8Array> {
    assert(dataKey.length === DATA_KEY_BYTES, `data key of ${dataKey.length} bytes`);
    const key = await this.#load(keyName);
    if (key.kind === "missing") {
      throw invalid(
        `Malformed Cloud KMS crypto key: ${clip(keyName, QUOTED_KEY_CHARS)} (${key.reason})`,
      );
    }
    const nonce = this.#random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.bytes, nonce).setAAD(bound(keyName, context));
    const sealed = cipher.update(dataKey);
    return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]);
  }

  async unwrap(
    keyName: string,
    wrapped: Uint8Array,
    context?: EncryptionContext,
  ): Promise<Uint8Array> {
    const key = await this.#load(keyName);
    if (key.kind === "missing") {
      throw new DatabaseError(
        "unavailable",
        `encryption key ${keyName} is gone: ${key.reason}; put the key file back`,
      );
    }
    try {
      const nonce = wrapped.subarray(0, NONCE_BYTES);
      const sealed = wrapped.subarray(NONCE_BYTES, -TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(bound(keyName, context)).setAuthTag(wrapped.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed), decipher.final()]);
    } catch (cause) {
      throw new DatabaseError(
        "unavailable",
        `encryption key ${keyName} is not the one that encrypted this data; put the old one back`,
        { cause },
      );
    }
  }

  async #load(keyName: string): Promise<LoadedKey> {
    const path = await this.#pathOf(keyName);
    if (typeof path !== "string") return path;
    try {
      const bytes = parseKey(await systemFiles.readFile(path));
      if (bytes !== undefined) return { kind: "loaded", bytes };
      return missing("its key file does not hold 32 bytes, raw or in hex or base64");
    } catch (error) {
      if (isSystemError(error, "ENOENT", "EISDIR")) {
        return missing("there is no key file of this name in TRAWL_ENCRYPTION_KEYS");
      }
      const told = `the server cannot read encryption key ${keyName}`;
      throw storageError(`read encryption key ${keyName}`, error, told);
    }
  }

  async #pathOf(keyName: string): Promise<string | MissingKey> {
    if (this.#path === undefined) {
      return missing(
        "no keys are configured; set TRAWL_ENCRYPTION_KEYS to a key file or directory",
      );
    }
    if (!KEY_NAME.test(keyName)) {
      return missing(
        "a key's name has 1 to 128 of A-Z a-z 0-9 _ . - and begins with no dot or dash",
      );
    }
    const isDirectory = await systemFiles.stat(this.#path).then(
      (stat) => stat.isDirectory(),
      () => false, // Missing or not: reading the key file says so.
    );
    if (isDirectory) return join(this.#path, keyName);
    if (basename(this.#path) === keyName) return this.#path;
    return missing("the one key file in TRAWL_ENCRYPTION_KEYS has another name");
  }
}

type LoadedKey = { readonly kind: "loaded"; readonly bytes: Uint8Array } | MissingKey;

interface MissingKey {
  readonly kind: "missing";
  readonly reason: string;
}

function missing(reason: string): MissingKey {
  return { kind: "missing", reason };
}

/**
 * Reads a key file's content: raw bytes, hex, or base64 (either alphabet), with white space around.
 */
function parseKey(content: Uint8Array): Uint8Array | undefined {
  if (content.length === DATA_KEY_BYTES) return content;
  const text = Buffer.from(content).toString("latin1").trim();
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64");
  return undefined;
}

/** No name of a key has a space, so that a context is never taken for a part of one. */
function bound(keyName: string, context: EncryptionContext | undefined): Uint8Array {
  const pairs = context === undefined ? "" : ` ${encryptionContextText(context)}`;
  return Buffer.from(`trawl data key ${keyName}${pairs}`, "utf8");
}
