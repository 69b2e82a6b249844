import { afterEach, describe, expect, test, vi } from "vitest";
import { collidingIds } from "../../../test/support/random/colliding-keys.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildIds } from "../../codec/columns-builder.ts";
import { bytesOf } from "../../codec/columns-packing.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { DocumentId } from "../../model/value.ts";
import { hashIds, type IdKeys, idKeys } from "../view/id-keys.ts";
import { checkSlots, fillSlots, IdTable } from "./id-section.ts";
import { FreeSlots } from "./slot-runs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Ids of a type whose hashes are given: as if a client had chosen ids that have them. */
function keysOf(idType: IdType, ids: readonly DocumentId[], hash: (i: number) => number): IdKeys {
  return Object.assign(idKeys(buildIds(idType, ids), ids.length), { hash });
}

function idOf(idType: IdType, number: number): DocumentId {
  if (idType === "uint") return BigInt(number) * 3n ** 20n;
  const text = `${number}`.padStart(12, "0");
  return idType === "string" ? `id ${number}` : `00000000-0000-4000-8000-${text}`;
}

/** Hashes of ids that lie badly in a table of `slots` slots. */
const BAD_HASHES: Readonly<Record<string, (i: number, slots: number) => number>> = {
  "one slot": () => 5,
  "the last slots": (i, slots) => slots - 1 - (i % 3),
  "slots of a run, which are filled first": (i, slots) => (i < slots / 8 ? 0 : i % (slots / 4)),
  "slots in a row, the last one first": (i, slots) => slots / 2 - (i % (slots / 4)),
};

const COUNTS = [1, 4, 5, 33, 300, 8_000];

describe.each(["uint", "uuid", "string"] as const)("ids of type %s", (idType) => {
  test.each(Object.entries(BAD_HASHES))("that have %s are found", (_, hashOf) => {
    for (const count of COUNTS) {
      const slotCount = 2 ** Math.ceil(Math.log2(2 * count));
      const ids = Array.from({ length: count }, (_id, i) => idOf(idType, 2 * i));
      const keys = keysOf(idType, ids, (i) => hashOf(i, slotCount));
      const slots = bytesOf(runSteps(fillSlots(keys)));
      checkSlots(slots, count);
      const table = new IdTable(keys, slots);
      const own = idKeys(buildIds(idType, ids), count);
      const absent = idKeys(
        buildIds(
          idType,
          ids.map((_id, i) => idOf(idType, 2 * i + 1)),
        ),
        count,
      );
      for (let i = 0; i < count; i++) {
        const hash = hashOf(i, slotCount);
        if (table.find(own, i, hash) !== i) expect.fail(`${ids[i]} is ${table.find(own, i, hash)}`);
        if (table.find(absent, i, hash) !== -1) expect.fail(`absent id ${i} is found`);
      }
    }
  });
});

/** Calls of a method of all ids of a kind while `work` is done. */
function callsOf(method: "equals" | "compare", ids: readonly bigint[], work: () => void): number {
  const prototype = Object.getPrototypeOf(idKeys(buildIds("uint", ids), ids.length)) as IdKeys;
  const spy = vi.spyOn(prototype, method);
  work();
  const { length } = spy.mock.calls;
  spy.mockRestore();
  return length;
}

test("lookups of ids that were chosen for one hash compare few ids each", () => {
  const perId = [2_000, 8_000].map((count) => {
    const ids = collidingIds(2 * count);
    const [own, absent] = [ids.slice(0, count), ids.slice(count)];
    const keys = idKeys(buildIds("uint", own), count);
    const hashes = new Set(Array.from(ids, (id) => hashIds("uint", [id]).hashes[0]));
    expect(hashes.size, "the ids have one hash").toBe(1);
    const table = new IdTable(keys, bytesOf(runSteps(fillSlots(keys))));
    const sought = [hashIds("uint", own), hashIds("uint", absent)];
    const look = () => {
      const found = sought.map((of) => of.ids.map((_, i) => table.find(of.keys, i, of.hashes[i])));
      expect(found).toEqual([own.map((_, i) => i), absent.map(() => -1)]);
    };
    // The first lookup sorts.
    const sorting = callsOf("compare", ids, look) / count;
    const equal = callsOf("equals", ids, look) / (2 * count);
    return { sorting, equal, comparing: callsOf("compare", ids, look) / (2 * count) };
  });
  for (const { sorting, equal, comparing } of perId) {
    expect(equal).toBeLessThanOrEqual(64);
    expect(comparing).toBeLessThan(15);
    expect(sorting).toBeLessThan(50);
  }
});

/** Reads of slots by all searches for free ones, of ids that have these homes. */
function readsOf(homes: readonly number[], slotCount: number): number {
  const slots = new Uint32Array(slotCount);
  let reads = 0;
  const counted = new Proxy(slots, {
    get: (target, name) => {
      if (name !== "length") reads++;
      return Reflect.get(target, name, target);
    },
  });
  const free = new FreeSlots(counted);
  for (const home of homes) {
    const slot = free.from(home);
    if (slots[slot] !== 0) expect.fail(`slot ${slot} is taken`);
    slots[slot] = 1;
  }
  return reads;
}

test.each(Object.entries(BAD_HASHES))(
  "a table of ids that have %s is built in few steps",
  (_, of) => {
    for (const count of [2_048, 16_384]) {
      const slotCount = 2 * count;
      const homes = Array.from({ length: count }, (_id, i) => of(i, slotCount));
      expect(readsOf(homes, slotCount) / count).toBeLessThan(8);
    }
  },
);

test("tables of other ids need no sorting", () => {
  const random = seededRandom(90_300);
  const ids = [...new Set(Array.from({ length: 30_000 }, () => BigInt(random.below(2 ** 32))))];
  const keys = idKeys(buildIds("uint", ids), ids.length);
  const table = new IdTable(keys, bytesOf(runSteps(fillSlots(keys))));
  const { keys: sought, hashes } = hashIds("uint", ids);
  const look = () => ids.forEach((_, i) => void table.find(sought, i, hashes[i]));
  expect(callsOf("compare", ids, look)).toBe(0);
  expect(callsOf("equals", ids, look) / ids.length).toBeLessThan(2);
});
