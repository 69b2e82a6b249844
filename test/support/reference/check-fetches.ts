/**
 * Vitest's set-up of files that talk to real servers: each answer that they get by `fetch`, which
 * the official client uses as well, is compared with the reference, and so is each request that was
 * answered with 200.
 */

import { afterEach, expect } from "vitest";
import { exchangeFault } from "./check-exchange.ts";

const plainFetch = Symbol.for("trawl.plainFetch");
const globals = globalThis as unknown as Record<symbol, typeof fetch | undefined>;
const faults: string[] = [];
/** Answers that are still being read. */
const pending = new Set<Promise<void>>();

// Files share a process: the set-up of the next one must not wrap what this one has wrapped.
const unchecked = globals[plainFetch] ?? globalThis.fetch;
globals[plainFetch] = unchecked;
globalThis.fetch = async (resource, init) => {
  const response = await unchecked(resource, init);
  // Of the servers that tests talk to, only Trawl's give each answer an id.
  if (response.headers.has("x-request-id") && response.body !== null) {
    const reading = response
      .clone()
      .text()
      .then(
        (text) => check(text, response, { resource, init }),
        // Who reads the answer learns that it ends early.
        () => {},
      )
      .finally(() => pending.delete(reading));
    pending.add(reading);
  }
  return response;
};

afterEach(async () => {
  await Promise.all(pending);
  expect(faults.splice(0), "answers are as the reference says").toEqual([]);
});

function check(
  text: string,
  { status, headers }: Response,
  { resource, init }: { resource: Parameters<typeof fetch>[0]; init?: RequestInit | undefined },
): void {
  const { pathname, search } = new URL(resource instanceof Request ? resource.url : resource);
  const { method = "GET", body } = init ?? {};
  const exchange = { method: method.toUpperCase(), url: pathname + search, status, headers, text };
  const fault = exchangeFault({ ...exchange, sent: jsonOf(body) });
  if (fault !== undefined) faults.push(fault);
}

function jsonOf(body: unknown): unknown {
  try {
    return typeof body === "string" ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}
