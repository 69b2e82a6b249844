/** The official SDK, unmodified, pointed at the server that the end-to-end tests share. */

import Turbopuffer from "@turbopuffer/turbopuffer";
import { expect, inject } from "vitest";

/** A namespace as the SDK sees it. */
export type Namespace = ReturnType<Turbopuffer["namespace"]>;

/** What a client may choose, as in the SDK. */
export type ClientOptions = ConstructorParameters<typeof Turbopuffer>[0];

/** A client of the shared server, or of `options.baseURL`. Errors are seen at once: no retries. */
export function sdkClient(options: ClientOptions = {}): Turbopuffer {
  const baseURL = options.baseURL ?? inject("serverUrl");
  return new Turbopuffer({ apiKey: "unused", maxRetries: 0, ...options, baseURL });
}

/** Makes namespaces whose names begin with `prefix` and do not exist yet. */
export function testNamespaces(prefix: string, client = sdkClient()): (name?: string) => Namespace {
  let count = 0;
  return (kind = "ns") => {
    const name = `${prefix}-${kind}-${++count}`;
    const namespace = client.namespace(name);
    NAMES.set(namespace, name);
    return namespace;
  };
}

const NAMES = new WeakMap<Namespace, string>();

/** The name of a namespace that `testNamespaces` made. */
export function nameOf(namespace: Namespace): string {
  return NAMES.get(namespace) ?? "";
}

/**
 * Passes what the SDK's types do not know: values that the server must refuse, and forms of the
 * contract that the types of this SDK version leave out.
 */
export function untyped<T>(value: unknown): T {
  return value as T;
}

/** An answer as it is on the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text parsed; undefined if it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
}

/** Sends a request without the SDK: for answers that JavaScript's own JSON parser would round. */
export async function rawCall(
  method: string,
  path: string,
  body?: unknown,
  options: { headers?: Record<string, string>; url?: string } = {},
): Promise<RawAnswer> {
  const response = await fetch((options.url ?? inject("serverUrl")) + path, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Expects that a call fails with `status`, in the documented shape, and `message` in its text. */
export async function expectFault(
  call: PromiseLike<unknown>,
  status: number,
  message?: string | RegExp,
): Promise<void> {
  const fault = await Promise.resolve(call).then(
    (answer) => {
      throw new Error(`status ${status} was expected, but came ${JSON.stringify(answer)}`);
    },
    (error: unknown) => error,
  );
  if (!(fault instanceof Turbopuffer.APIError)) throw fault;
  expect([fault.status, fault.message]).toEqual([status, expect.any(String)]);
  const body = fault.error as { status: string; error: string };
  expect(body).toMatchObject({ status: "error", error: expect.any(String) });
  if (message instanceof RegExp) expect(body.error).toMatch(message);
  else if (message !== undefined) expect(body.error).toContain(message);
}

/** Ids of the documents of an answer, in order. */
export function idsOf(answer: {
  rows?: { id: string | number }[] | undefined;
}): (string | number)[] {
  return (answer.rows ?? []).map(({ id }) => id);
}
