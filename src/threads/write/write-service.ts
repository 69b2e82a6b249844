/**
 * The write thread's side of its talk with the main thread: numbered calls, whose bodies arrive in
 * chunks and are parsed as they arrive.
 */

import { errorAnswer, operatingError } from "../../api/error-answer.ts";
import { warnedAnswer } from "../../api/warned-answer.ts";
import type { BodySource, CallHandler, CallMessage, CallReporter } from "../../api/write-call.ts";
import { type ErrorCode, isDatabaseError, sentError } from "../../base/errors.ts";
import type { NamespaceEffect } from "../../model/namespace-effect.ts";
import type { VerifiedState } from "../../namespace/published-state.ts";
import { UnknownMembers } from "../../wire/json/unknown-members.ts";
import type { EngineQuestion, FromWriteThread, ToWriteThread } from "../thread-messages.ts";

/** Answers what the engine asks for itself; operating errors may be thrown. */
export type QuestionHandler = (question: EngineQuestion) => Promise<VerifiedState | undefined>;

/** Errors of the server rather than of the request. */
const ALARMING = new Set<ErrorCode>(["corrupt", "too_new", "too_old", "internal", "unavailable"]);

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
  readonly #reply: QuestionHandler;
  readonly #bodies = new Map<number, OpenBody>();
  #running = 0;
  #idle: (() => void) | undefined;

  constructor(
    post: (message: FromWriteThread) => void,
    handler: CallHandler,
    reply: QuestionHandler,
  ) {
    this.#post = post;
    this.#handler = handler;
    this.#reply = reply;
  }

  /** Takes a message that belongs to a call. */
  onMessage(message: Extract<ToWriteThread, { call: number }>): void {
    if (message.kind === "call") return void this.#during(this.#run(message));
    if (message.kind === "ask") return void this.#during(this.#ask(message));
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

  async #during(work: Promise<void>): Promise<void> {
    this.#running++;
    try {
      await work;
    } finally {
      this.#running--;
      if (this.#running === 0) this.#idle?.();
    }
  }

  async #ask({ call, question }: Extract<ToWriteThread, { kind: "ask" }>): Promise<void> {
    try {
      this.#post({ kind: "reply", call, state: await this.#reply(question) });
    } catch (error) {
      this.#logAlarming(error, { operation: question.kind, namespace: question.namespace });
      this.#post({ kind: "failure", call, error: sentError(operatingError(error)) });
    }
  }

  async #run(message: CallMessage): Promise<void> {
    const { call } = message;
    const body = openBody((piece) => {
      this.#post({ kind: "consumed", call, bytes: piece.length, piece });
    });
    if (message.hasBody) this.#bodies.set(call, body);
    else body.end();
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
      this.#logAlarming(error, { operation: message.operation, namespace: message.namespace });
      const answer = warnedAnswer(errorAnswer(error), unknown);
      const refused = tried && { effects: tried, status: answer.status };
      this.#post({ kind: "answer", call, answer: { ...answer, ...(refused && { refused }) } });
    } finally {
      this.#bodies.delete(call);
    }
  }

  #logAlarming(error: unknown, about: object): void {
    if (isDatabaseError(error) && !ALARMING.has(error.code)) return;
    const stack = error instanceof Error ? error.stack : String(error);
    const facts = { ...about, stack };
    this.#post({ kind: "log", level: "error", message: "request failed", facts });
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
