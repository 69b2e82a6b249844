import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { BodyBudget, type BodyCharge } from "./body-budget.ts";

function open(budget: BodyBudget, client: string, namespace = "n", evict = () => {}): BodyCharge {
  return budget.open({ client, namespace, evict });
}

test("a namespace may hold as much as is left free, to the byte", () => {
  const budget = new BodyBudget(100);
  const first = open(budget, "a");
  expect(first.reserve(51)).toBe(false);
  expect(first.reserve(50)).toBe(true);
  expect(first.reserve(0)).toBe(true);
  expect(first.reserve(1)).toBe(false);
  expect(budget.bytesUsed).toBe(50);
  expect(open(budget, "b").reserve(1)).toBe(false);
  expect(open(budget, "b", "m").reserve(25)).toBe(true);
  first.release();
  expect(budget.bytesUsed).toBe(25);
});

test("a client may hold three times as much as is left free, in whatever namespaces", () => {
  const budget = new BodyBudget(100);
  for (let i = 0; i < 100; i++) open(budget, "a", `n${i}`).reserve(1);
  expect(budget.bytesUsed).toBe(75);
  expect(open(budget, "b", "other").reserve(12)).toBe(true);
  expect(open(budget, "c", "third").reserve(6)).toBe(true);
});

test("however much others send, a client that comes next finds room", () => {
  const budget = new BodyBudget(1 << 20);
  for (let client = 0; client < 6; client++) {
    const charge = open(budget, `client ${client}`, `namespace ${client}`);
    expect(charge.reserve(1000)).toBe(true);
    while (charge.reserve(1000));
  }
});

test("of one client's bodies that arrive, the youngest ends", () => {
  const budget = new BodyBudget(100);
  const evicted: string[] = [];
  const charge = (name: string, client = "a") =>
    open(budget, client, "n", () => evicted.push(name));
  const other = charge("other", "b");
  const [first, second, third, fourth] = ["first", "second", "third", "fourth"].map((name) =>
    charge(name),
  );
  for (const one of [other, first, second, third]) expect(one.reserve(10)).toBe(true);
  third.arrived();
  expect(first.reserve(20)).toBe(true);
  expect(evicted).toEqual(["second"]);
  expect([second.reserve(1), second.bytes]).toEqual([true, 0]);
  expect(fourth.reserve(1)).toBe(false);
  expect(evicted).toEqual(["second"]);
  expect(other.bytes + third.bytes).toBe(20);
});

test("whatever comes and goes, the sum is right and within the bound", () => {
  const random = testRandom();
  const budget = new BodyBudget(1000);
  const charges = new Set<BodyCharge>();
  for (let step = 0; step < 2000; step++) {
    const all = [...charges];
    expect(budget.bytesUsed).toBe(all.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(budget.bytesUsed).toBeLessThan(1000);
    if (random.below(3) === 0 && all.length > 0) {
      const charge = all[random.below(all.length)];
      charge.release();
      charges.delete(charge);
    } else {
      const charge = open(budget, `${random.below(3)}`, `${random.below(4)}`);
      charges.add(charge);
      charge.reserve(random.below(200));
      if (random.below(2) === 0) charge.arrived();
    }
  }
  for (const charge of charges) charge.release();
  expect(budget.bytesUsed).toBe(0);
});
