import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { namespaceName, sequenceNumber } from "../../base/ids.ts";
import { fitsPatterns } from "../../model/namespace-pattern.ts";
import { CountingObjectStore } from "../../storage/counting-object-store.ts";
import { walKey } from "../../storage/object-keys.ts";
import { ALWAYS } from "../../storage/object-store.ts";
import { listNamespaces } from "./list-namespaces.ts";
import { listVisible } from "./list-visible.ts";

const NAMES = ["a", "a-", "a-b", "a-b-c", "a-table", "ab", "b", "b-1", "b-2", "b.x", "c", "tenant"];

async function storeOf(names: readonly string[]): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  for (const name of names) {
    const key = walKey({ name: namespaceName(name), generation: 1 }, sequenceNumber(1));
    await store.put(key, new Uint8Array(1), ALWAYS);
  }
  return store;
}

test("pages have those names of the whole listing that fit, in its order", async () => {
  const random = testRandom();
  const store = await storeOf(NAMES);
  const draw = <T>(of: readonly T[]) => of[random.below(of.length)];
  for (let round = 0; round < 200; round++) {
    const patterns = Array.from({ length: 1 + random.below(4) }, () => {
      const name = draw(NAMES);
      return random.below(2) === 0 ? name : `${name.slice(0, random.below(name.length + 1))}*`;
    });
    const prefix = draw(NAMES).slice(0, random.below(3));
    const pageSize = 1 + random.below(4);
    const all = await listNamespaces(store, { prefix, after: undefined, pageSize: 100 });
    const expected = all.filter((name) => fitsPatterns(patterns, name));
    const found: string[] = [];
    for (;;) {
      const after = found.length === 0 ? undefined : namespaceName(found[found.length - 1]);
      const page = await listVisible(store, { prefix, after, pageSize }, patterns);
      found.push(...page);
      if (page.length < pageSize) break;
    }
    expect(found, `${patterns} ${prefix}`).toEqual(expected);
  }
});

test("a name that begins those of many others costs no look at them", async () => {
  const others = Array.from({ length: 200 }, (_, i) => `t-${i}`);
  const store = new CountingObjectStore(await storeOf([...others, "t"]));
  const request = { prefix: "", after: undefined, pageSize: 1 };
  expect(await listVisible(store, request, ["t", "absent"])).toEqual(["t"]);
  expect(store.counts().requests.list).toBeLessThan(10);
});
