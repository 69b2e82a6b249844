/**
 * Runs ONNX models for all threads that embed: one run of a model at a time, since each takes the
 * thread. Requests take turns of one run each, so that a query's text does not wait for all texts
 * of a write. What waits is bounded; beyond that, requests are told to come later.
 */

import type { Clock } from "../../base/clock.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { FromOnnx, ToOnnx } from "./onnx-messages.ts";
import type { OnnxModel, OnnxTexts } from "./onnx-model.ts";

/** Requests that wait or are worked at; our choice: each has a run or some more to go. */
export const ONNX_REQUESTS_MAX = 128;
/** UTF-16 units of their texts; our choice. */
export const ONNX_TEXT_UNITS_MAX = 8 * 1024 * 1024;
/** What the refused are told to wait. */
const RETRY_MS = 1_000;

/** A thread that asks. */
export interface OnnxClient {
  post(message: FromOnnx): void;
}

/** What was done with a model. */
export interface OnnxModelStats {
  texts: number;
  tokens: number;
  /** Milliseconds of work. */
  workMs: number;
}

/** What a service needs. */
export interface OnnxServiceOptions {
  /** By name. */
  readonly models: ReadonlyMap<string, Pick<OnnxModel, "plan" | "run">>;
  readonly clock: Clock;
  /** Lets messages that have arrived be heard. */
  nextTurn(): Promise<void>;
}

interface OnnxRequest {
  readonly client: OnnxClient;
  readonly call: number;
  readonly model: string;
  readonly texts: readonly string[];
  readonly units: number;
  readonly vectors: Float32Array<ArrayBuffer>[];
  /** Undefined until its first turn. */
  planned: OnnxTexts | undefined;
  batchesDone: number;
}

/** See the file's head. */
export class OnnxService {
  readonly #options: OnnxServiceOptions;
  readonly #stats = new Map<string, OnnxModelStats>();
  /** The first one has the next turn. */
  #requests: OnnxRequest[] = [];
  #refused = 0;
  #works = false;

  constructor(options: OnnxServiceOptions) {
    this.#options = options;
    for (const name of options.models.keys()) {
      this.#stats.set(name, { texts: 0, tokens: 0, workMs: 0 });
    }
  }

  /** By model. */
  get stats(): ReadonlyMap<string, Readonly<OnnxModelStats>> {
    return this.#stats;
  }

  /** Requests that wait or are worked at. */
  get waitingCount(): number {
    return this.#requests.length;
  }

  /** Requests that were told to come later. */
  get refusedCount(): number {
    return this.#refused;
  }

  onMessage(client: OnnxClient, message: ToOnnx): void {
    if (message.kind === "cancel") {
      const { call } = message;
      this.#requests = this.#requests.filter((one) => one.client !== client || one.call !== call);
      return;
    }
    const { call, model, texts } = message;
    const units = texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#isFull(units)) {
      this.#refused++;
      client.post({ kind: "failed", call, ...this.#overload(model), retryAfterMs: RETRY_MS });
      return;
    }
    const work = { vectors: [], planned: undefined, batchesDone: 0 };
    this.#requests.push({ client, call, model, texts, units, ...work });
    if (!this.#works) void this.#work();
  }

  /** One request may be of any size, else it never could be answered. */
  #isFull(units: number): boolean {
    if (this.#requests.length === 0) return false;
    const waiting = this.#requests.reduce((sum, request) => sum + request.units, units);
    return this.#requests.length >= ONNX_REQUESTS_MAX || waiting > ONNX_TEXT_UNITS_MAX;
  }

  #overload(model: string) {
    return {
      code: "overloaded",
      message:
        `💔 embedding model "${model}" is busy: ${this.#requests.length} requests wait for this ` +
        `server's ONNX models, of at most ${ONNX_REQUESTS_MAX} with ${ONNX_TEXT_UNITS_MAX} ` +
        "characters; retry later, or send fewer at once",
    } as const;
  }

  async #work(): Promise<void> {
    this.#works = true;
    for (;;) {
      // Whoever has left, or has just come, is heard of before each turn.
      await this.#options.nextTurn();
      const request = this.#requests.shift();
      if (request === undefined) break;
      // In its place behind the others, so that it counts as one that waits.
      this.#requests.push(request);
      const answer = await this.#turn(request);
      if (answer === undefined) continue;
      this.#requests = this.#requests.filter((other) => other !== request);
      request.client.post(answer);
    }
    this.#works = false;
  }

  /** One run of the model; the answer if it was the last one. */
  async #turn(request: OnnxRequest): Promise<FromOnnx | undefined> {
    const { call, model: name, texts, vectors } = request;
    const { models, clock } = this.#options;
    const model = models.get(name);
    if (model === undefined) throw new Error(`no ONNX model ${name}`);
    const startedMs = clock.monotonicMs();
    try {
      request.planned ??= model.plan(texts);
      const { batches, tokenCount } = request.planned;
      const batch = batches[request.batchesDone++];
      const made = await model.run(request.planned, batch);
      batch.places.forEach((place, i) => {
        vectors[place] = made[i] as Float32Array<ArrayBuffer>;
      });
      if (request.batchesDone < batches.length) return undefined;
      this.#count(name, { texts: texts.length, tokens: tokenCount });
      return { kind: "embedded", call, vectors, tokens: tokenCount };
    } catch (error) {
      const isKnown = isDatabaseError(error);
      const said = error instanceof Error ? error.message : String(error);
      const message = `💔 embedding model "${name}" failed with a text: ${said}`;
      return { kind: "failed", call, code: isKnown ? error.code : "internal", message };
    } finally {
      this.#count(name, { workMs: clock.monotonicMs() - startedMs });
    }
  }

  #count(model: string, { texts = 0, tokens = 0, workMs = 0 }: Partial<OnnxModelStats>): void {
    const stats = this.#stats.get(model);
    if (stats === undefined) return;
    stats.texts += texts;
    stats.tokens += tokens;
    stats.workMs += workMs;
  }
}
