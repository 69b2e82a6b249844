/**
 * The main thread's side of the talk with the write thread: numbered calls, bodies that are sent no
 * faster than they are parsed, and what the write thread publishes in between. A call on which the
 * write thread makes no progress is answered without it (`silence-bounds.ts`); it may still end.
 */

import type { EngineMetric, EngineRequest, EngineStatus, HttpAnswer } from "../../api/engine.ts";
import { errorAnswer } from "../../api/error-answer.ts";
import { MIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError, receivedError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import { withinTime } from "../../base/within-time.ts";
import type { ArenaMessage } from "../../kernel/arena.ts";
import type { NamespaceEffect } from "../../model/namespace-effect.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
  VerifiedState,
} from "../../namespace/published-state.ts";
import type { EngineQuestion, FromWriteThread, ToWriteThread } from "../thread-messages.ts";
import type { ThreadPort } from "../thread-port.ts";
import { BodyPieces } from "./body-pieces.ts";
import {
  CLOSE_MS_MAX,
  closeUnanswered,
  readSilenceBound,
  type SilenceBound,
  silenceBound,
  TRANSFER_SILENCE_MS_MAX,
} from "./silence-bounds.ts";

/** Body bytes of one write that may wait for the write thread before the sender is paused. */
export const WRITE_BODY_WINDOW_BYTES = 4 * MIB;
/** Calls that the write thread still works on after they were answered without it; our choice. */
export const ABANDONED_CALLS_MAX = 1_000;
/** Milliseconds between two looks for calls without progress: an answer is late by no more. */
const SILENCE_SWEEP_MS = 250;

/** Who hears of what the write thread says beside answers. */
export interface WriteThreadListener {
  arena(message: ArenaMessage): void;
  publish(namespace: NamespaceName, deltas: readonly PublishedDelta[], state: NamespaceState): void;
  readonly log: StructuredLog;
  /** There is work for indexers. */
  hinted(): void;
}

/** Clock and bounds for the waits of calls. */
export interface WriteCallTimes {
  readonly clock: Clock;
  /** Milliseconds that a read may take; see `--query-timeout`. */
  readonly readMs: number;
}

/** One request on its way. */
export interface WriteCall {
  readonly answer: Promise<HttpAnswer>;
  /** Resolves if the write thread says that this call may take long, with what it is to do. */
  readonly long: Promise<readonly NamespaceEffect[]>;
  onProgress(listener: (text: string) => void): void;
}

interface PendingCall {
  readonly succeed: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
  readonly isLong: (effects: readonly NamespaceEffect[]) => void;
  progress: ((text: string) => void) | undefined;
  done: boolean;
  readonly bound: SilenceBound;
  /** Milliseconds without progress after which it is answered. */
  silenceMs: number;
  /** When it last made progress, or the write thread had nothing of it to work on. */
  heardMs: number;
  /** All of its body has been sent. */
  isSent: boolean;
  /** Bytes sent and not yet consumed, and who waits for them to become fewer. */
  unconsumedBytes: number;
  resume: (() => void) | undefined;
}

/** Every client may call the readiness probe, so only the log has the reason. */
const FAILED = "the write thread has failed; the server's log has the reason";

/** All calls to the write thread. */
export class WriteCalls {
  readonly #port: ThreadPort<ToWriteThread, FromWriteThread>;
  readonly #listener: WriteThreadListener;
  readonly #times: WriteCallTimes;
  readonly #calls = new Map<number, PendingCall>();
  /** Ends the timer of `#sweep`, which runs while calls are pending. */
  #stopSweeping: (() => void) | undefined;
  readonly #abandoned = new Set<number>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #status: EngineStatus = { ready: false, reason: "starting" };
  #metrics: readonly EngineMetric[] = [];
  readonly #pieces = new BodyPieces();
  #nextCall = 1;

  constructor(
    port: ThreadPort<ToWriteThread, FromWriteThread>,
    listener: WriteThreadListener,
    times: WriteCallTimes,
  ) {
    this.#port = port;
    this.#listener = listener;
    this.#times = times;
    port.listen((message) => this.#onMessage(message));
  }

  /** Resolves when the write thread serves calls; rejects if it cannot start. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  status(): EngineStatus {
    return this.#status;
  }

  /** The write thread's newest stats. */
  metrics(): readonly EngineMetric[] {
    return this.#metrics;
  }

  /** Sends a request and its body. */
  call(request: EngineRequest): WriteCall {
    const { operation, namespace, parameters, apiVersion, region, body } = request;
    const { scope, isStrict, tracedAtMs } = request;
    const hasBody = body !== undefined;
    const long = Promise.withResolvers<readonly NamespaceEffect[]>();
    const bound = silenceBound(operation, this.#times.readMs);
    const { call, pending, result } = this.#begin<HttpAnswer>(bound, long.resolve);
    const answer = result.catch(errorAnswer);
    if (!pending.done) {
      pending.isSent = !hasBody;
      const asked = { operation, namespace, parameters, apiVersion, region };
      const about = { ...asked, scope, isStrict, tracedAtMs };
      this.#port.post({ kind: "call", call, ...about, hasBody });
      if (hasBody) void this.#sendBody(call, body);
    }
    return {
      answer,
      long: long.promise,
      onProgress: (listener) => {
        pending.progress = listener;
      },
    };
  }

  /** Asks for the engine itself; only `verify` gives a state. Rejects with operating errors. */
  ask(question: EngineQuestion): Promise<VerifiedState | undefined> {
    const bound = readSilenceBound(this.#times.readMs);
    const { call, pending, result } = this.#begin<VerifiedState | undefined>(bound, () => {});
    if (!pending.done) this.#port.post({ kind: "ask", call, question });
    return result;
  }

  /** Registers a call; one that is `done` at once is refused, since the store answers none. */
  #begin<T>(bound: SilenceBound, isLong: PendingCall["isLong"]) {
    const call = this.#nextCall++;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const pending: PendingCall = {
      succeed: resolve as (result: unknown) => void,
      fail: reject,
      isLong,
      progress: undefined,
      done: this.#abandoned.size >= ABANDONED_CALLS_MAX,
      bound,
      silenceMs: bound.ms,
      heardMs: this.#times.clock.monotonicMs(),
      isSent: true,
      unconsumedBytes: 0,
      resume: undefined,
    };
    if (pending.done) reject(tooManyAbandoned());
    else {
      this.#calls.set(call, pending);
      this.#stopSweeping ??= this.#times.clock.every(SILENCE_SWEEP_MS, () => this.#sweep());
    }
    return { call, pending, result: promise };
  }

  /** Tells the write thread that nobody reads what was dropped up to `version`. */
  release(instance: NamespaceInstance, version: number): void {
    this.#port.post({ kind: "release", instance, version });
  }

  /** A namespace may have a newer manifest. */
  followManifest(namespace: NamespaceName): void {
    this.#port.post({ kind: "manifest", namespace });
  }

  /** Queries have asked for these namespaces. */
  used(namespaces: readonly NamespaceName[]): void {
    this.#port.post({ kind: "used", namespaces });
  }

  /** The thread has crashed: nothing is answered any more, and `close` does not wait for it. */
  lose(): void {
    this.#status = { ready: false, reason: FAILED };
    this.#closed.resolve();
  }

  /**
   * Lets running calls finish and waits until everything is durable; throws `unavailable` if that
   * takes longer than `CLOSE_MS_MAX`.
   */
  async close(): Promise<void> {
    this.#status = { ready: false, reason: "shutting down" };
    this.#port.post({ kind: "close" });
    const bound = { ms: CLOSE_MS_MAX, late: closeUnanswered };
    await withinTime(this.#times.clock, this.#closed.promise, bound);
  }

  async #sendBody(call: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    try {
      for await (const bytes of this.#pieces.of(body)) {
        if (pending.done) return; // Answered before its end, by a fault near its start.
        if (pending.unconsumedBytes === 0) this.#heard(pending);
        pending.unconsumedBytes += bytes.length;
        this.#port.post({ kind: "chunk", call, bytes }, [bytes.buffer]);
        if (pending.unconsumedBytes <= WRITE_BODY_WINDOW_BYTES) continue;
        await new Promise<void>((resolve) => {
          pending.resume = resolve;
        });
      }
      if (pending.done) return;
      if (pending.unconsumedBytes === 0) this.#heard(pending);
      pending.isSent = true;
      this.#port.post({ kind: "end", call });
    } catch (error) {
      this.#port.post({ kind: "abort", call });
      this.#end(call)?.fail(error);
    }
  }

  /** Forgets a call; the caller settles it. Undefined: it has ended before. */
  #end(call: number): PendingCall | undefined {
    const pending = this.#calls.get(call);
    if (pending === undefined) return undefined;
    this.#calls.delete(call);
    if (this.#calls.size === 0) {
      this.#stopSweeping?.();
      this.#stopSweeping = undefined;
    }
    pending.done = true;
    pending.resume?.();
    return pending;
  }

  #heard(pending: PendingCall): void {
    pending.heardMs = this.#times.clock.monotonicMs();
  }

  /** Answers the calls without progress. While a client sends nothing, its call is not silent. */
  #sweep(): void {
    const nowMs = this.#times.clock.monotonicMs();
    for (const [call, pending] of this.#calls) {
      const { isSent, unconsumedBytes, silenceMs, bound } = pending;
      if (!isSent && unconsumedBytes === 0) pending.heardMs = nowMs;
      if (nowMs - pending.heardMs < silenceMs) continue;
      if (!isSent) this.#port.post({ kind: "abort", call });
      this.#abandoned.add(call);
      this.#end(call)?.fail(bound.error(silenceMs));
    }
  }

  #onMessage(message: FromWriteThread) {
    switch (message.kind) {
      case "ready":
        this.#status = { ready: true };
        return this.#ready.resolve();
      case "failed":
        this.#status = { ready: false, reason: FAILED };
        return this.#ready.reject(receivedError(message.error));
      case "closed":
        return this.#closed.resolve();
      case "arena":
        return this.#listener.arena(message);
      case "log":
        return this.#listener.log(message.level, message.message, message.facts);
      case "publish":
        return this.#listener.publish(message.namespace, message.deltas, message.state);
      case "hinted":
        return this.#listener.hinted();
      case "metrics":
        this.#metrics = message.metrics;
        return;
      case "consumed":
        this.#pieces.takeBack(message.piece);
        return this.#consumed(message.call, message.bytes);
      case "long":
        return this.#long(message);
      case "progress":
        return this.#progress(message);
      case "answer":
        this.#abandoned.delete(message.call);
        return this.#end(message.call)?.succeed(message.answer);
      case "reply":
        this.#abandoned.delete(message.call);
        return this.#end(message.call)?.succeed(message.state);
      case "failure":
        this.#abandoned.delete(message.call);
        return this.#end(message.call)?.fail(receivedError(message.error));
      case "aborted":
        this.#abandoned.delete(message.call);
        return;
    }
  }

  #long({ call, effects }: Extract<FromWriteThread, { kind: "long" }>): void {
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    this.#heard(pending);
    pending.silenceMs = Math.max(pending.silenceMs, TRANSFER_SILENCE_MS_MAX);
    pending.isLong(effects);
  }

  #progress({ call, text }: Extract<FromWriteThread, { kind: "progress" }>): void {
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    this.#heard(pending);
    pending.progress?.(text);
  }

  #consumed(call: number, bytes: number): void {
    const pending = this.#calls.get(call);
    if (pending === undefined) return;
    this.#heard(pending);
    pending.unconsumedBytes -= bytes;
    if (pending.unconsumedBytes > WRITE_BODY_WINDOW_BYTES) return;
    pending.resume?.();
    pending.resume = undefined;
  }
}

function tooManyAbandoned(): DatabaseError {
  return new DatabaseError(
    "unavailable",
    `💔 the object store does not answer: ${ABANDONED_CALLS_MAX} requests wait for it, and ` +
      "nothing was done for this one; retry later",
  );
}
