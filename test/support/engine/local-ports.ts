/** Two ends of a talk inside one thread, so that tests need no workers. */

import type { Transferable } from "node:worker_threads";
import type { ThreadPort } from "../../../src/threads/thread-port.ts";

/** The far end of a port. */
export interface FarEnd<To, From> {
  post(message: From, transfer?: readonly Transferable[]): void;
  listen(listener: (message: To) => void): void;
}

/** Has an action run in a turn of its own, after what runs now. */
export type Turn = (action: () => void) => void;

/** Messages wait in order; each is a copy and arrives in a turn of its own. */
class Channel<Message> {
  readonly #turn: Turn;
  readonly #waiting: Message[] = [];
  #listener: ((message: Message) => void) | undefined;
  #closed = false;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  post(message: Message, transfer: readonly Transferable[] = []): void {
    if (this.#closed) return;
    this.#waiting.push(copyOf(message, transfer));
    this.#turn(() => this.#deliver());
  }

  listen(listener: (message: Message) => void): void {
    this.#listener = listener;
    for (const _ of this.#waiting) this.#turn(() => this.#deliver());
  }

  close(): void {
    this.#closed = true;
  }

  #deliver(): void {
    if (this.#closed || this.#listener === undefined || this.#waiting.length === 0) return;
    this.#listener(this.#waiting.shift() as Message);
  }
}

/** Makes both ends. After `terminate` nothing arrives at either. */
export function localPorts<To, From>(
  turn: Turn = setImmediate,
): {
  readonly near: ThreadPort<To, From>;
  readonly far: FarEnd<To, From>;
} {
  const there = new Channel<To>(turn);
  const back = new Channel<From>(turn);
  return {
    near: {
      post: (message, transfer) => there.post(message, transfer),
      listen: (listener) => back.listen(listener),
      terminate: async () => {
        there.close();
        back.close();
      },
    },
    far: {
      post: (message, transfer) => back.post(message, transfer),
      listen: (listener) => there.listen(listener),
    },
  };
}

function copyOf<Message>(message: Message, transfer: readonly Transferable[]): Message {
  // A shared memory is the same on both sides.
  if ((message as { kind?: string }).kind === "arena") return message;
  return structuredClone(message, { transfer: [...transfer] });
}
