/**
 * Bodies on their way between the main thread and a query thread. A short one travels as a string
 * of its bytes, which V8 copies as it is: an array costs memory of its own on both sides and what
 * keeps count of it, whether it is copied or moves, and that is more than most of such messages.
 */

import type { HttpAnswer } from "../../api/engine.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";

/** Longer ones cost less as arrays that move. */
const SHORT_BODY_BYTES_MAX = 8 * KIB;

/** Bytes, or a string with a character for each. */
type PackedBytes<Bytes extends Uint8Array> = Bytes | string;
type Query = Extract<ToQueryThread, { kind: "query" }>;
type Answer = Extract<FromQueryThread, { kind: "answer" }>;

/** A message to a query thread as it travels. */
export type PackedToQueryThread =
  | Exclude<ToQueryThread, Query>
  | (Omit<Query, "body"> & { readonly body: PackedBytes<Query["body"]> });

/** A message of a query thread as it travels. */
export type PackedFromQueryThread =
  | Exclude<FromQueryThread, Answer>
  | (Omit<Answer, "answer"> & {
      readonly answer: Omit<HttpAnswer, "body"> & { readonly body: PackedBytes<Uint8Array> };
    });

/** The main thread's port over one that takes messages as they travel. */
export function packingPort(
  port: ThreadPort<PackedToQueryThread, PackedFromQueryThread>,
): ThreadPort<ToQueryThread, FromQueryThread> {
  return {
    post: (message, transfer) => {
      const packed = packToQueryThread(message);
      // A body that travels as a string does not move.
      if (packed === message) port.post(packed, transfer);
      else port.post(packed);
    },
    listen: (listener) => port.listen((packed) => listener(unpackFromQueryThread(packed))),
    terminate: () => port.terminate(),
  };
}

function packToQueryThread(message: ToQueryThread): PackedToQueryThread {
  if (message.kind !== "query" || message.body.length > SHORT_BODY_BYTES_MAX) return message;
  return { ...message, body: packed(message.body) };
}

/** The message that has come to a query thread. */
export function unpackToQueryThread(message: PackedToQueryThread): ToQueryThread {
  if (message.kind !== "query" || typeof message.body !== "string") return message as ToQueryThread;
  return { ...message, body: Buffer.from(message.body, "latin1") };
}

/** What a query thread sends for a message. */
export function packFromQueryThread(message: FromQueryThread): PackedFromQueryThread {
  if (message.kind !== "answer" || message.answer.body.length > SHORT_BODY_BYTES_MAX) {
    return message;
  }
  const { kind, call, answer } = message;
  return { kind, call, answer: { ...answer, body: packed(answer.body) } };
}

function unpackFromQueryThread(message: PackedFromQueryThread): FromQueryThread {
  if (message.kind !== "answer" || typeof message.answer.body !== "string") {
    return message as FromQueryThread;
  }
  const { kind, call, answer } = message;
  return { kind, call, answer: { ...answer, body: Buffer.from(message.answer.body, "latin1") } };
}

function packed({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}
