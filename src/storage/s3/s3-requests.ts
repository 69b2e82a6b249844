import { MIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { TurnQueue } from "../../base/turn-queue.ts";
import type { S3Times } from "./s3-client.ts";
import { S3_SOCKETS_MAX } from "./s3-client.ts";

/** Slowest sending of a larger body that gets more time: 1 MiB each second. */
const S3_UPLOAD_BYTES_PER_MS_MIN = MIB / 1_000;

/** What the SDK is told of each request. */
export interface S3RequestOptions {
  /** Milliseconds until the answer's head is there. A body's sending counts, too. */
  readonly requestTimeout: number;
  readonly abortSignal: AbortSignal;
}

/** Bodies of a request and of its answer, in bytes, as far as they are known before. */
export interface S3BodyBytes {
  readonly sent?: number;
  readonly received?: number;
}

/** Bounds the requests of a client: how many are under way, and how long each of them may take. */
export class S3Requests {
  readonly #clock: Clock;
  readonly #times: S3Times;
  /** A request's time begins when it is sent, so those beyond all connections wait here. */
  readonly #turns = new TurnQueue(S3_SOCKETS_MAX);

  constructor(clock: Clock, times: S3Times) {
    this.#clock = clock;
    this.#times = times;
  }

  /**
   * Runs a request with its answer's body in its turn. The SDK bounds its parts, but neither how
   * long it asks for credentials nor how slowly a body may come; so all of it has a bound, too.
   * A request past its deadline is aborted, and not sent again.
   */
  run<T>(bytes: S3BodyBytes, request: (options: S3RequestOptions) => Promise<T>): Promise<T> {
    const { connectMs, answerMs } = this.#times;
    const { sent = 0, received = 0 } = bytes;
    const requestTimeout = answerMs + Math.ceil(sent / S3_UPLOAD_BYTES_PER_MS_MIN);
    const receivingMs = Math.ceil(received / S3_UPLOAD_BYTES_PER_MS_MIN);
    const allMs = answerMs + connectMs + requestTimeout + receivingMs;
    return this.#turns.run(async () => {
      const late = new AbortController();
      const done = new AbortController();
      const lateness = this.#clock.sleep(allMs, done.signal).then(() => {
        late.abort();
        const what = `the request was not over in ${allMs} ms`;
        throw new Error(`${what}: the service, or the source of credentials, does not answer`);
      });
      lateness.catch(() => undefined); // Also when the request is over.
      const running = request({ requestTimeout, abortSignal: late.signal });
      running.catch(() => undefined); // Nobody hears it after it was late.
      try {
        return await Promise.race([running, lateness]);
      } finally {
        done.abort();
      }
    });
  }
}
