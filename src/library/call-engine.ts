/**
 * Calls of a program as the engine's requests. Parameters go the way of an HTTP body, through the
 * same parser with the same bounds, and answers come back as JSON: so nothing of the contract is
 * there twice, and both say the same of the same mistake.
 */

import { answerBytes, type Engine, type EngineRequest, type HttpAnswer } from "../api/engine.ts";
import { errorAnswer } from "../api/error-answer.ts";
import { WARNING_HEADER } from "../api/warned-answer.ts";
import { namespaceName, namespaceNameFault } from "../base/ids.ts";
import type { BodyBudget } from "../http/bodies/body-budget.ts";
import { noRoom, tooLarge } from "../http/bodies/body-faults.ts";
import type { WarningLog } from "../http/observability/warning-log.ts";
import { QUERY_BODY_BYTES_MAX, WRITE_BODY_BYTES_MAX } from "../model/contract-limits.ts";
import { bodyOf, errorOf, isErrorBody } from "./answer-error.ts";
import type { CallOptions } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";

/** Whose share of the budget all calls take. */
const CLIENT = "library";

/** One call, before it is a request. */
export interface LibraryCall extends Pick<EngineRequest, "operation" | "apiVersion"> {
  readonly namespace?: string;
  /** As the query string would have them; undefined ones are left out. */
  readonly parameters?: Readonly<Record<string, string | number | undefined>>;
  /** What the body would hold as JSON. */
  readonly body?: unknown;
}

/** What calls go through. */
export interface EngineCallsOptions {
  readonly engine: Engine;
  readonly budget: BodyBudget;
  readonly warnings: WarningLog;
  /** Unknown fields are refused. */
  readonly isStrict: boolean;
}

/** See the file's head. */
export class EngineCalls {
  readonly #options: EngineCallsOptions;
  readonly #ended = Promise.withResolvers<never>();
  readonly #running = new Set<Promise<unknown>>();
  #end: TrawlError | undefined;

  constructor(options: EngineCallsOptions) {
    this.#options = options;
    this.#ended.promise.catch(() => {}); // Heard of where somebody waits.
  }

  /** Has every call fail from now on. */
  refuse(reason: TrawlError): void {
    this.#end ??= reason;
  }

  /** Likewise, and those under way, which nobody will answer. */
  fail(reason: TrawlError): void {
    this.#end = reason;
    this.#ended.reject(reason);
  }

  /** Resolves when no call is in progress. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Makes one call and resolves to what its answer holds; rejects with a `TrawlError`. */
  async call<T>(call: LibraryCall, options: CallOptions = {}): Promise<T> {
    if (this.#end !== undefined) throw copyOf(this.#end);
    const running = this.#call<T>(call, options);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #call<T>(call: LibraryCall, { signal }: CallOptions): Promise<T> {
    signal?.throwIfAborted();
    const { namespace, operation } = call;
    const fault = namespace === undefined ? undefined : namespaceNameFault(namespace);
    if (fault !== undefined) throw new TrawlError(fault, { status: 400 });
    const bytesMax = operation === "write" ? WRITE_BODY_BYTES_MAX : QUERY_BODY_BYTES_MAX;
    const body = call.body === undefined ? undefined : encode(call.body, bytesMax);
    const bodyBytes = body?.byteLength ?? 0;
    const answer = await this.#charged(namespace, bodyBytes, () =>
      this.#answer(call, body, signal),
    );
    this.#options.engine.noteBytes(bodyBytes + answerBytes(answer));
    signal?.throwIfAborted();
    const warning = answer.headers[WARNING_HEADER];
    if (warning !== undefined) this.#options.warnings.note(operation, namespace, warning);
    return decode<T>(answer);
  }

  /** The budget is the bound on all parameters that are in memory as JSON. */
  async #charged(
    namespace: string | undefined,
    bytes: number,
    answer: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    const { budget } = this.#options;
    const charge = budget.open({ client: CLIENT, namespace, evict: () => {} });
    try {
      if (!charge.reserve(bytes)) return errorAnswer(noRoom(budget, charge, bytes));
      charge.arrived();
      return await answer();
    } finally {
      charge.release();
    }
  }

  #answer(
    { operation, namespace, apiVersion, parameters = {} }: LibraryCall,
    body: Uint8Array | undefined,
    signal = new AbortController().signal,
  ): Promise<HttpAnswer> {
    const texts = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const answer = this.#options.engine.handle({
      operation,
      apiVersion,
      ...(namespace !== undefined && { namespace: namespaceName(namespace) }),
      parameters: Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
      ...(body !== undefined && { body: chunks(body) }),
      respondAsync: false,
      isStrict: this.#options.isStrict,
      signal,
    });
    return Promise.race([answer, this.#ended.promise]);
  }
}

async function* chunks(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

function encode(value: unknown, bytesMax: number): Uint8Array {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    // V8's longest string is about as long as the greatest body.
    if (cause instanceof RangeError) throw errorOf(errorAnswer(tooLarge(bytesMax)));
    const { message } = cause as Error;
    throw new TrawlError(`the parameters cannot be written as JSON: ${message}`, {
      status: 400,
      cause,
    });
  }
  const body = new TextEncoder().encode(text);
  if (body.byteLength > bytesMax) throw errorOf(errorAnswer(tooLarge(bytesMax)));
  return body;
}

function decode<T>(answer: HttpAnswer): T {
  const body = bodyOf(answer);
  if (answer.status >= 400 || isErrorBody(body)) throw errorOf(answer);
  return body as T;
}

/** With the stack of the call that it is thrown from. */
function copyOf({ message, status, cause }: TrawlError): TrawlError {
  return new TrawlError(message, { status, cause });
}
