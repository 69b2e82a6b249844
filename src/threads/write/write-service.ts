/**
 * The write thread's side of its talk with the main thread: numbered calls, whose bodies arrive in
 * chunks and are parsed as they arrive.
 */

import type { HttpAnswer } from "../../api/engine.ts";
import { errorAnswer } from "../../api/error-answer.ts";
import { warnedAnswer } from "../../api/warned-answer.ts";
import type { BodySource, CallHandler, CallMessage, CallReporter } from "../../api/write-call.ts";
import { type DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { NamespaceEffect } from "../../model/namespace-effect.ts";
import { UnknownMembers } from "../../wire/json/unknown-members.ts";
import type { FromWriteThread, ToWriteThread } from "../thread-messages.ts";

/** Thrown into a handler whose client is gone. */
class CallAborted extends Error {}

interface OpenBody extends BodySource {
  push(chunk: Uint8Array<ArrayBuffer>): void;
  end(): void;
  abort(): void;
}

/** All calls that are being answered. */
export class WriteService {
  readonly #post: (message: FromWriteThread) => void;
  readonly #handler: CallHandler;
  readonly #bodies = new Map<number, OpenBody>();
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(post: (message: FromWriteThread) => void, handler: CallHandler) {
    this.#post = post;
    this.#handler = handler;
  }

  /** Takes a message that belongs to a call. */
  onMessage(message: Extract<ToWriteThread, { call: number }>): void {
    if (message.kind === "call") {
      void this.#run(message);
      return;
    }
    const body = this.#bodies.get(message.call);
    if (body === undefined) return; // Already answered.
    if (message.kind === "chunk") body.push(message.bytes);
    else if (message.kind === "end") body.end();
    else body.abort();
  }

  /** Resolves when no call is being answered. */
  async whenIdle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  async #run(message: CallMessage): Promise<void> {
    const { call } = message;
    const body = openBody((piece) => {
      this.#post({ kind: "consumed", call, bytes: piece.length, piece });
    });
    if (message.hasBody) this.#bodies.set(call, body);
    else body.end();
    this.#running++;
    const unknown = new UnknownMembers(message);
    let tried: readonly NamespaceEffect[] | undefined;
    const reporter: CallReporter = {
      unknown,
      tries: (effects) => {
        tried = effects;
      },
      long: (effects) => this.#post({ kind: "long", call, effects }),
      progress: (text) => this.#post({ kind: "progress", call, text }),
    };
    try {
      const answer = await this.#handler(message, body, reporter);
      this.#post({ kind: "answer", call, answer: warnedAnswer(answer, unknown) });
    } catch (error) {
      if (error instanceof CallAborted) return this.#post({ kind: "aborted", call });
      const { status, ...answer } = this.#rejection(message, error, unknown);
      const refused = tried && { effects: tried, status };
      this.#post({
        kind: "answer",
        call,
        answer: { ...answer, status, ...(refused && { refused }) },
      });
    } finally {
      this.#bodies.delete(call);
      this.#running--;
      if (this.#running === 0) this.#idle?.();
    }
  }

  #rejection(message: CallMessage, error: unknown, unknown: UnknownMembers): HttpAnswer {
    if (!isDatabaseError(error) || isAlarming(error)) {
      const stack = error instanceof Error ? error.stack : String(error);
      const facts = { operation: message.operation, namespace: message.namespace, stack };
      this.#post({ kind: "log", level: "error", message: "request failed", facts });
    }
    return warnedAnswer(errorAnswer(error), unknown);
  }
}

/** Tells whether an error says something about the server rather than about the request. */
function isAlarming(error: DatabaseError): boolean {
  switch (error.code) {
    case "corrupt":
    case "too_new":
    case "too_old":
    case "internal":
    case "unavailable":
      return true;
    default:
      return false;
  }
}

function openBody(consumed: (piece: Uint8Array<ArrayBuffer>) => void): OpenBody {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let state: "open" | "ended" | "aborted" = "open";
  let handed: Uint8Array<ArrayBuffer> | undefined;
  let wake: (() => void) | undefined;
  const changed = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push: (chunk) => {
      chunks.push(chunk);
      changed();
    },
    end: () => {
      state = "ended";
      changed();
    },
    abort: () => {
      state = "aborted";
      changed();
    },
    next: async () => {
      if (handed !== undefined) consumed(handed);
      handed = undefined;
      while (chunks.length === 0 && state === "open") {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (state === "aborted") throw new CallAborted();
      handed = chunks.shift();
      return handed;
    },
  };
}
