import { expect, test } from "vitest";
import { namespaceName } from "../../src/base/ids.ts";
import { NAMESPACE_POLL_MS } from "../../src/commit/namespace-catalog.ts";
import { LOG_END_KNOWN_MS_MAX } from "../../src/commit/opened/namespace-log.ts";
import { wasUnused } from "./check-reopenings.ts";
import type { Meaning } from "./operation.ts";

const AT_MS = 10 * LOG_END_KNOWN_MS_MAX;
const reopening = { namespace: namespaceName("a"), by: "server-1", event: 100, atMs: AT_MS };

/** A request to a server for a namespace, so long before the opening. */
const sent = (agoMs: number, change: { name?: string; server?: string; kind?: "list" } = {}) => ({
  name: change.name ?? "a",
  server: change.server ?? "server-1",
  meaning: { kind: change.kind ?? "metadata" } satisfies Meaning,
  sentAt: 50,
  sentAtMs: AT_MS - agoMs,
});

test("a namespace was unused if no request used it while its log's end was known", () => {
  const between = LOG_END_KNOWN_MS_MAX - 1;
  expect(wasUnused(reopening, [])).toBe(true);
  expect(wasUnused(reopening, [sent(between)])).toBe(false);
  expect(wasUnused(reopening, [sent(LOG_END_KNOWN_MS_MAX + 1)])).toBe(true);
  expect(wasUnused(reopening, [sent(NAMESPACE_POLL_MS)])).toBe(true);
  expect(wasUnused(reopening, [{ ...sent(between), sentAt: 101 }])).toBe(true);
});

test("requests to other servers, for other namespaces, and listings do not use it", () => {
  for (const change of [{ server: "server-2" }, { name: "b" }, { kind: "list" }] as const) {
    expect(wasUnused(reopening, [sent(LOG_END_KNOWN_MS_MAX - 1, change)])).toBe(true);
  }
});
