/**
 * Gathers messages between threads: when many queries run at once, waking the other thread for each
 * of them costs more than most lookups. A message goes out at once, unless another one has just
 * gone; then it goes with all that follow in the same turn of the event loop. Order is kept.
 */

import type { Transferable } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import type { ThreadPort } from "./thread-port.ts";

/** After so long since the last sending a message does not wait: long queries answer one by one. */
const GATHER_MS = 0.5;

/** Messages that wait to be sent together. */
export class MessageBatch<Message> {
  readonly #clock: Clock;
  readonly #send: (messages: readonly Message[], transfer: readonly Transferable[]) => void;
  #messages: Message[] = [];
  #transfer: Transferable[] = [];
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(
    clock: Clock,
    send: (messages: readonly Message[], transfer: readonly Transferable[]) => void,
  ) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Sends the message at once, after those that wait: for senders that will be busy for long. */
  addNow(message: Message, transfer: readonly Transferable[]): void {
    this.#messages.push(message);
    this.#transfer.push(...transfer);
    this.#flush(this.#clock.monotonicMs());
  }

  /** Sends the message by the end of this turn; what is in `transfer` moves when it is sent. */
  add(message: Message, transfer: readonly Transferable[] = []): void {
    this.#messages.push(message);
    for (const buffer of transfer) this.#transfer.push(buffer);
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sentMs >= GATHER_MS) this.#flush(nowMs);
    else if (this.#messages.length === 1) {
      setImmediate(() => this.#flush(this.#clock.monotonicMs()));
    }
  }

  #flush(nowMs: number): void {
    if (this.#messages.length === 0) return;
    const [messages, transfer] = [this.#messages, this.#transfer];
    this.#messages = [];
    this.#transfer = [];
    this.#sentMs = nowMs;
    this.#send(messages, transfer);
  }
}

/** A port over one whose messages are batches, in both directions. */
export function batchingPort<To, From>(
  port: ThreadPort<readonly To[], readonly From[]>,
  clock: Clock,
): ThreadPort<To, From> {
  const batch = new MessageBatch<To>(clock, (messages, transfer) => port.post(messages, transfer));
  return {
    post: (message, transfer) => batch.add(message, transfer),
    listen: (listener) => port.listen((messages) => messages.forEach(listener)),
    terminate: () => port.terminate(),
  };
}
