import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { NamespaceTraffic, OTHER_NAMESPACES } from "./namespace-traffic.ts";

const REQUEST = { operation: "query", status: 200, seconds: 0.5, bytesIn: 3, bytesOut: 7 };

function trafficOf(places: number) {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const traffic = new NamespaceTraffic(clock, places);
  const requests = () => {
    const sums: Record<string, number> = {};
    for (const { name, labels, value } of traffic.metrics()) {
      if (name !== "trawl_namespace_requests_total") continue;
      const namespace = String(labels?.namespace);
      sums[namespace] = (sums[namespace] ?? 0) + value;
    }
    return sums;
  };
  return { traffic, clock, requests };
}

test("a request counts for its namespace, by what it was", () => {
  const { traffic } = trafficOf(2);
  traffic.note("a", REQUEST);
  traffic.note("a", { ...REQUEST, operation: "write", status: 400 });
  traffic.note("a", { ...REQUEST, operation: "get_metadata" });
  const found = traffic.metrics().filter(({ labels }) => labels?.namespace === "a");
  expect(found.map(({ name, labels, value }) => [name, labels?.operation, value])).toEqual([
    ["trawl_namespace_requests_total", "query", 1],
    ["trawl_namespace_requests_total", "write", 1],
    ["trawl_namespace_requests_total", "further", 1],
    ["trawl_namespace_failures_total", undefined, 1],
    ["trawl_namespace_request_seconds_total", undefined, 1.5],
    ["trawl_namespace_received_bytes_total", undefined, 9],
    ["trawl_namespace_sent_bytes_total", undefined, 21],
  ]);
});

test("names of namespaces that are not there take no place", () => {
  const { traffic, requests } = trafficOf(2);
  for (let i = 0; i < 100; i++) traffic.note(`guess-${i}`, { ...REQUEST, status: 404 });
  traffic.note("a", REQUEST);
  expect(requests()).toEqual({ a: 1, [OTHER_NAMESPACES]: 100 });
  expect(traffic.size).toBe(1);
});

test.each([[0], [1], [5]])(
  "of a hundred thousand namespaces %i are told, and nothing is lost",
  (places) => {
    const seed = 31 + places;
    const random = seededRandom(seed);
    const { traffic, requests } = trafficOf(places);
    const heavy = Array.from({ length: places }, (_, i) => `heavy-${i}`);
    let count = 0;
    let last = 0;
    for (let i = 0; i < 100_000; i++) {
      const name =
        i % 3 === 0 && places > 0 ? heavy[random.below(places)] : `n${random.below(1e6)}`;
      traffic.note(name, REQUEST);
      count++;
      if (i % 10_000 > 0) continue;
      const { [OTHER_NAMESPACES]: others, ...told } = requests();
      expect(others, `seed ${seed}`).toBeGreaterThanOrEqual(last);
      last = others;
      const sum = Object.values(told).reduce((a, b) => a + b, 0);
      expect(sum + others, `seed ${seed}`).toBe(count);
    }
    expect(traffic.size).toBeLessThanOrEqual(4 * places);
    const { [OTHER_NAMESPACES]: _, ...told } = requests();
    expect(Object.keys(told).sort(), `seed ${seed}`).toEqual(heavy);
  },
);

test("who has no traffic any more gives its place away", () => {
  const { traffic, clock, requests } = trafficOf(1);
  for (let i = 0; i < 100; i++) traffic.note("old", REQUEST);
  const note = () => {
    for (let i = 0; i < 20; i++) traffic.note("new", REQUEST);
  };
  note();
  expect(requests()).toEqual({ old: 100, [OTHER_NAMESPACES]: 20 });
  for (let hour = 0; hour < 6; hour++) {
    clock.nowMs += 600_000;
    note();
  }
  expect(Object.keys(requests())).toEqual(["new", OTHER_NAMESPACES]);
  expect(Object.values(requests()).reduce((a, b) => a + b)).toBe(240);
});
