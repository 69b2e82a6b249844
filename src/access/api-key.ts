/**
 * API keys: what is known of one, and how its text is made. The text is shown once and kept
 * nowhere; what is kept is its SHA-256, from which its id follows, so that whoever has the text can
 * name the key without asking a server.
 */

import { hash } from "node:crypto";
import type { Random } from "../base/random.ts";
import type { NamespacePatterns } from "../model/namespace-pattern.ts";

/** What a key may allow. `admin` allows all else, too. */
export const KEY_ACTIONS = ["read", "write", "list", "admin"] as const;

/** One of them. */
export type KeyAction = (typeof KEY_ACTIONS)[number];

/** How much one server answers for a key; absent: as much as it can. */
export interface KeyLimits {
  readonly requestsPerSecond?: number;
  /** Of request bodies and answers together. */
  readonly bytesPerSecond?: number;
}

/** All that is known of a key; no part of it opens anything. */
export interface ApiKey extends KeyLimits {
  /** 16 hex digits, made of the hash. */
  readonly id: string;
  /** SHA-256 of the key's text in hex. */
  readonly hash: string;
  readonly name: string;
  /** The last four characters of the text; none of one that is not ours. */
  readonly lastFour: string;
  readonly actions: readonly KeyAction[];
  readonly namespaces: NamespacePatterns;
  readonly createdAtMs: number;
  /** Absent: never. */
  readonly expiresAtMs?: number;
}

/** How keys begin. */
const KEY_START = "tpuf_";
/** Characters behind that: 190 random bits. */
const KEY_CHARS = 32;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID_CHARS = 16;

/** Draws the text of a new key; each character is as likely as any other. */
export function newKeyText(random: Random): string {
  let text = KEY_START;
  // Bytes from 248 on would make the first eight letters likelier.
  const limit = 256 - (256 % ALPHABET.length);
  while (text.length < KEY_START.length + KEY_CHARS) {
    const [byte] = random.bytes(1);
    if (byte < limit) text += ALPHABET[byte % ALPHABET.length];
  }
  return text;
}

/** The SHA-256 of a key's text, in hex. */
export function keyHash(text: string): string {
  return hash("sha256", text, "hex");
}

/** The id of the key with this hash. */
export function keyId(keyHash: string): string {
  return hash("sha256", `trawl key id ${keyHash}`, "hex").slice(0, ID_CHARS);
}

/** Tells whether `text` has the form of an id. */
export function isKeyId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** How messages name a key. */
export function shownKey({ name, lastFour }: Pick<ApiKey, "name" | "lastFour">): string {
  return lastFour === "" ? `key "${name}"` : `key "${name}" (…${lastFour})`;
}
