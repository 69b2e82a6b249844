/** An engine for tests of the layers above it: it records requests and answers what it is told. */

import type {
  Engine,
  EngineMetric,
  EngineRequest,
  EngineStatus,
  HttpAnswer,
} from "../../../src/api/engine.ts";
import { errorAnswer } from "../../../src/api/error-answer.ts";

/** A request as it arrived, with its body read. */
export interface SeenRequest extends Omit<EngineRequest, "body" | "signal"> {
  readonly body: string | undefined;
  readonly bodyBytes: number;
}

/** See the file's head. */
export class FakeEngine implements Engine {
  readonly seen: SeenRequest[] = [];
  readonly signals: AbortSignal[] = [];
  /** Bytes of all bodies so far, whole or not. */
  bytesReceived = 0;
  /** What bodies ended with that were not read to their end. */
  readonly bodyFaults: unknown[] = [];
  closed = false;
  queriesStopped = false;
  ready: EngineStatus = { ready: true };
  reportedMetrics: readonly EngineMetric[] = [];
  /** Decides the answer after the body was read. */
  answer: (request: SeenRequest) => HttpAnswer | Promise<HttpAnswer> = () => jsonAnswer({});
  /** Leaves bodies unread, as an engine does that refuses at once. */
  ignoresBodies = false;

  /** Answers after so many chunks of a body, and waits for one more, as the write thread does. */
  chunksMax = Number.POSITIVE_INFINITY;

  /** Bytes of body and response of each request that has ended. */
  readonly notedBytes: number[] = [];

  noteBytes(bytes: number): void {
    this.notedBytes.push(bytes);
  }

  stopQueries(): void {
    this.queriesStopped = true;
  }

  async handle(request: EngineRequest): Promise<HttpAnswer> {
    this.signals.push(request.signal);
    const chunks: Uint8Array[] = [];
    try {
      if (request.body !== undefined && !this.ignoresBodies) {
        const body = request.body[Symbol.asyncIterator]();
        while (chunks.length < this.chunksMax) {
          const { done, value } = await body.next();
          if (done) break;
          this.bytesReceived += value.length;
          chunks.push(value);
        }
        if (chunks.length === this.chunksMax) void body.next().then(() => body.return?.());
      }
    } catch (error) {
      this.bodyFaults.push(error);
      return errorAnswer(error);
    }
    const bytes = Buffer.concat(chunks);
    const { body, signal: _, ...rest } = request;
    const seen: SeenRequest = {
      ...rest,
      parameters: { ...rest.parameters },
      body: body === undefined ? undefined : bytes.subarray(0, 4096).toString(),
      bodyBytes: bytes.length,
    };
    this.seen.push(seen);
    return await this.answer(seen);
  }

  status(): EngineStatus {
    return this.ready;
  }

  followManifest(): void {}

  metrics(): readonly EngineMetric[] {
    return this.reportedMetrics;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** A JSON answer. */
export function jsonAnswer(value: unknown, status = 200): HttpAnswer {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(JSON.stringify(value)),
  };
}
