import type { ThreadPort } from "../../../src/threads/thread-port.ts";

/** A thread that says what the test says, and remembers what it was told. */
export class FakePort<To, From> implements ThreadPort<To, From> {
  readonly sent: To[] = [];
  terminated = false;
  #listener: (message: From) => void = () => {};

  post(message: To): void {
    this.sent.push(message);
  }

  listen(listener: (message: From) => void): void {
    this.#listener = listener;
  }

  async terminate(): Promise<void> {
    this.terminated = true;
  }

  /** Speaks as the thread, and lets the listener's promises settle. */
  async say(message: From): Promise<void> {
    this.#listener(message);
    await settled();
  }

  /** The messages of one kind that were sent so far. */
  all<Kind extends string>(kind: Kind): Extract<To, { kind: Kind }>[] {
    return this.sent.filter((message): message is Extract<To, { kind: Kind }> => {
      return (message as { kind?: string }).kind === kind;
    });
  }
}

/** Resolves when what could go on without timers has gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
