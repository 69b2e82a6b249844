/** The reference as an answer: made at the first request, and kept. */

import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type HttpAnswer, jsonAnswer } from "../api/engine.ts";

/** Characters of a hash that tell versions of the document apart. */
const ETAG_CHARS = 22;

interface Kept {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** See the file's head. */
export class OpenapiAnswer {
  readonly #make: () => Promise<object>;
  #kept: Promise<Kept> | undefined;

  /** `make` is called until it has made the document once. */
  constructor(make: () => Promise<object>) {
    this.#make = make;
  }

  /** The document, or that the client's copy of it is still right. */
  async answer(headers: IncomingHttpHeaders): Promise<HttpAnswer> {
    this.#kept ??= this.#encode().catch((error: unknown) => {
      this.#kept = undefined;
      throw error;
    });
    const { bytes, etag } = await this.#kept;
    const known = headers["if-none-match"]?.split(",").some((tag) => bare(tag) === bare(etag));
    const answer = jsonAnswer(known ? 304 : 200, known ? new Uint8Array(0) : bytes);
    return { ...answer, headers: { ...answer.headers, etag, "cache-control": "no-cache" } };
  }

  async #encode(): Promise<Kept> {
    const text = JSON.stringify(await this.#make());
    const etag = `"${hash("sha256", text, "base64url").slice(0, ETAG_CHARS)}"`;
    return { bytes: new TextEncoder().encode(text), etag };
  }
}

/** Weak tags name the same document. */
function bare(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
