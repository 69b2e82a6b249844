import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import type { Span } from "./span.ts";
import { postSpans, type SendSpans, SPANS_WAITING_MAX, SpanExporter } from "./span-exporter.ts";

const SPAN: Span = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  name: "query",
  kind: "server",
  startMs: 1,
  endMs: 2,
  attributes: {},
};
const spansOf = (count: number): Span[] => Array(count).fill(SPAN);

function exporterTo(send: SendSpans) {
  const clock = new ManualClock();
  const logs: unknown[][] = [];
  const log = (...line: unknown[]) => void logs.push(line);
  const resource = { serviceName: "trawl", version: "0" };
  return { clock, logs, exporter: new SpanExporter({ send, clock, log, resource }) };
}

/** Spans of each body. */
function countsOf(bodies: readonly string[]): number[] {
  return bodies.map((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.length);
}

test("spans are sent in batches, a second after the first at the latest", async () => {
  const bodies: string[] = [];
  const { clock, exporter } = exporterTo(async (body) => {
    bodies.push(body);
    return 200;
  });
  exporter.add(spansOf(3));
  exporter.add(spansOf(4));
  expect(bodies).toEqual([]);
  clock.tick();
  await clock.advance(0);
  expect(countsOf(bodies)).toEqual([7]);
  exporter.add(spansOf(1100));
  await clock.advance(0);
  expect(countsOf(bodies)).toEqual([7, 512, 512, 76]);
  expect(exporter.stats).toEqual({ exported: 1107, dropped: 0, failures: 0 });
});

test("a silent collector is asked three times, then its spans are dropped", async () => {
  let asked = 0;
  const { clock, logs, exporter } = exporterTo(async () => {
    asked++;
    return asked % 2 === 0 ? 503 : undefined;
  });
  exporter.add(spansOf(2));
  clock.tick();
  await clock.advance(0);
  expect(asked).toBe(1);
  await clock.advance(999);
  expect(asked).toBe(1);
  await clock.advance(1);
  expect(asked).toBe(2);
  await clock.advance(2000);
  expect(asked).toBe(3);
  expect(exporter.stats).toEqual({ exported: 0, dropped: 2, failures: 3 });
  expect(logs).toMatchObject([["warn", expect.stringContaining("dropped"), { answer: "none" }]]);
  // One line a minute.
  exporter.add(spansOf(2));
  clock.tick();
  await clock.advance(0);
  await clock.advance(1000);
  await clock.advance(2000);
  expect(exporter.stats.dropped).toBe(4);
  expect(logs).toHaveLength(1);
});

test("what a collector refuses is not sent again", async () => {
  let asked = 0;
  const { clock, logs, exporter } = exporterTo(async () => {
    asked++;
    return 400;
  });
  exporter.add(spansOf(1));
  clock.tick();
  await clock.advance(0);
  expect(asked).toBe(1);
  expect(exporter.stats).toEqual({ exported: 0, dropped: 1, failures: 1 });
  expect(logs).toMatchObject([["warn", expect.anything(), { status: 400 }]]);
});

test("spans for which there is no room are dropped, a request's all together", async () => {
  const hanging = new Promise<undefined>(() => {});
  const { exporter } = exporterTo(() => hanging);
  // The first batch is on its way.
  exporter.add(spansOf(512));
  exporter.add(spansOf(SPANS_WAITING_MAX - 1));
  exporter.add(spansOf(2));
  expect(exporter.stats.dropped).toBe(2);
  exporter.add(spansOf(1));
  exporter.add(spansOf(1));
  expect(exporter.stats.dropped).toBe(3);
});

test("a collector has ten seconds for a batch", async () => {
  let isAborted = false;
  const { clock, exporter } = exporterTo(
    (_body, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          resolve(undefined);
        });
      }),
  );
  exporter.add(spansOf(1));
  clock.tick();
  await clock.advance(0);
  await clock.advance(9999);
  expect(isAborted).toBe(false);
  await clock.advance(1);
  expect([isAborted, exporter.stats.failures]).toEqual([true, 1]);
});

test("at the end what waits is sent, or given up after two seconds", async () => {
  const bodies: string[] = [];
  const good = exporterTo(async (body) => {
    bodies.push(body);
    return 200;
  });
  good.exporter.add(spansOf(2));
  await good.exporter.close();
  expect(countsOf(bodies)).toEqual([2]);
  good.exporter.add(spansOf(1));
  expect(good.exporter.stats).toEqual({ exported: 2, dropped: 1, failures: 0 });

  const dead = exporterTo(
    (_body, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined))),
  );
  dead.exporter.add(spansOf(2));
  const closed = dead.exporter.close();
  await dead.clock.advance(2000);
  await closed;
  expect(dead.exporter.stats).toMatchObject({ exported: 0, dropped: 2 });
});

test("bodies are posted as JSON; who is not there has no status", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers["content-type"]]);
    request.resume();
    response.writeHead(429).end("slow down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const send = postSpans(`http://127.0.0.1:${port}/v1/traces`);
  const { signal } = new AbortController();
  expect(await send("{}", signal)).toBe(429);
  expect(seen).toEqual([["POST", "/v1/traces", "application/json"]]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await send("{}", signal)).toBeUndefined();
});
