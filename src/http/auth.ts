/** The API key check. */

import { createHash, timingSafeEqual } from "node:crypto";
import { DatabaseError } from "../base/errors.ts";

/** Throws `unauthorized` if the request does not carry the server's key. */
export type AuthCheck = (authorization: string | undefined) => void;

/**
 * Builds the check for one key; without a key every request passes. Keys are compared by hash, so
 * that neither their bytes nor their lengths can be read off the time that the comparison takes.
 */
export function authCheck(apiKey: string | undefined): AuthCheck {
  if (apiKey === undefined) return () => {};
  const expected = digest(apiKey);
  return (authorization) => {
    if (authorization === undefined) {
      throw new DatabaseError(
        "unauthorized",
        "missing API key: this server needs the header `Authorization: Bearer <API key>`",
      );
    }
    const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (key === undefined) {
      throw new DatabaseError(
        "unauthorized",
        "malformed `Authorization` header: it must be `Bearer <API key>`",
      );
    }
    if (!timingSafeEqual(digest(key), expected)) {
      throw new DatabaseError("unauthorized", "unknown API key");
    }
  };
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
