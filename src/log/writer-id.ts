/**
 * Identifies the opening of a namespace that wrote a WAL entry. Each opening draws an id of 8
 * bytes. The nonces of its entries begin with the id; the other 8 bytes are drawn for each append.
 * So two appends of one writer for the same number differ in 64 random bits. Only decisions about
 * the fairness of races use the id.
 */

import type { Random } from "../base/random.ts";
import { NONCE_BYTES } from "../storage/create-object.ts";
import type { WalEntry } from "./wal-entry.ts";

/** 16 hexadecimal digits. */
export type WriterId = string & { readonly __brand: "WriterId" };

const WRITER_ID_BYTES = 8;

/** Draws an id. */
export function newWriterId(random: Random): WriterId {
  return textOf(random.bytes(WRITER_ID_BYTES));
}

/** The writer of an entry. */
export function writerOf({ nonce }: Pick<WalEntry, "nonce">): WriterId {
  return textOf(nonce.subarray(0, WRITER_ID_BYTES));
}

/** Draws the nonce of one append. */
export function newNonce(writer: WriterId, random: Random): Uint8Array {
  const nonce = random.bytes(NONCE_BYTES);
  nonce.set(Buffer.from(writer, "hex"));
  return nonce;
}

function textOf(bytes: Uint8Array): WriterId {
  return Buffer.from(bytes).toString("hex") as WriterId;
}
