import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { newNonce, newWriterId, writerOf } from "./writer-id.ts";

test("nonces contain their writer, and differ", () => {
  const random = seededRandom(1);
  const [one, other] = [newWriterId(random), newWriterId(random)];
  const nonces = [one, one, other].map((writer) => newNonce(writer, random));
  expect(nonces.map((nonce) => writerOf({ nonce }))).toEqual([one, one, other]);
  expect(new Set(nonces.map((nonce) => Buffer.from(nonce).toString("hex"))).size).toBe(3);
  expect(nonces.map(({ length }) => length)).toEqual([16, 16, 16]);
});
