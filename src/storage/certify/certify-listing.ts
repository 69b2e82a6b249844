/** Cases: listings. */

import {
  ALWAYS,
  endOf,
  IF_ABSENT,
  type ListPage,
  type ObjectStore,
  objectKey,
} from "../object-store.ts";
import {
  bytesOf,
  type CertificationCase,
  expectSame,
  expectThat,
  inParallel,
} from "./certification-case.ts";

/** The cases, in the order in which they run. */
export const LISTING_CASES: readonly CertificationCase[] = [
  { promise: "listings are in byte order, by prefixes that may end inside a part", run: order },
  { promise: "listings fold behind the delimiter, after the prefix", run: folding },
  {
    promise: "pages of any size join to the whole listing, with and without delimiter",
    run: pages,
  },
  { promise: "a listing starts after any text, whether it is a key or not", run: starts },
  { promise: "what is left after the start is folded, also inside of a folder", run: foldedStarts },
  { promise: "a prefix goes with its last object", run: lastObject },
  { promise: "a page is truncated only if more follows", run: truncation },
  { promise: "listings of more than a thousand keys are complete", run: manyKeys },
];

const KEYS = ["a", "b-c", "b/1", "b/10", "b/2/x", "b/2/y", "b.d/z", "b0/q", "ba/q", "c/.x", "c/_"];

async function putAll(store: ObjectStore): Promise<void> {
  for (const key of [...KEYS].reverse()) await store.put(objectKey(key), bytesOf(key), ALWAYS);
}

async function order(store: ObjectStore): Promise<string> {
  await putAll(store);
  const prefixes = ["", "b", "b/", "b/1", "b/2", "b/2/", "c/", "x", "b/2/x", "b/2/x/"];
  for (const prefix of prefixes) {
    const page = await store.list({ prefix, limit: 1000 });
    const keys = KEYS.filter((key) => key.startsWith(prefix)).sort();
    expectSame(`prefix "${prefix}"`, page, { keys, prefixes: [], truncated: false });
  }
  return `${prefixes.length} prefixes of ${KEYS.length} keys`;
}

async function folding(store: ObjectStore): Promise<string> {
  await putAll(store);
  const page = (prefix: string) => store.list({ prefix, limit: 1000, delimiter: "/" });
  expectSame("the top", await page(""), {
    keys: ["a", "b-c"],
    prefixes: ["b.d/", "b/", "b0/", "ba/", "c/"],
    truncated: false,
  });
  expectSame("below b/", await page("b/"), {
    keys: ["b/1", "b/10"],
    prefixes: ["b/2/"],
    truncated: false,
  });
  expectSame("after b", (await page("b")).prefixes, ["b.d/", "b/", "b0/", "ba/"]);
  const { keys, prefixes } = await page("b/2/");
  expectSame("below b/2/", { keys, prefixes }, { keys: ["b/2/x", "b/2/y"], prefixes: [] });
  return "4 folders";
}

async function pages(store: ObjectStore): Promise<string> {
  await putAll(store);
  for (const delimiter of [undefined, "/"] as const) {
    const request = { prefix: "", ...(delimiter && { delimiter }) };
    const whole = await store.list({ ...request, limit: 1000 });
    for (const limit of [1, 2, 3, 5]) {
      const all = await allPages((startAfter) => store.list({ ...request, limit, startAfter }));
      const keys = all.flatMap((page) => page.keys);
      expectSame(`keys of pages of ${limit}`, keys, whole.keys);
      const prefixes = all.flatMap((page) => page.prefixes);
      expectSame(`prefixes of pages of ${limit}`, prefixes, whole.prefixes);
      const isBounded = all.every((page) => page.keys.length + page.prefixes.length <= limit);
      expectThat(isBounded, `a page has more than ${limit} entries`);
    }
  }
  return "pages of 1, 2, 3 and 5";
}

async function starts(store: ObjectStore): Promise<string> {
  await putAll(store);
  const texts = ["b", "b/", "b/1", "b/11", "b/2/x", "b/2/~", "c/_", "zz", "-"];
  for (const startAfter of texts) {
    const page = await store.list({ prefix: "", startAfter, limit: 1000 });
    const keys = KEYS.filter((key) => key > startAfter).sort();
    expectSame(`keys after "${startAfter}"`, page.keys, keys);
  }
  return `${texts.length} texts`;
}

async function foldedStarts(store: ObjectStore): Promise<string> {
  await putAll(store);
  const wanted: [startAfter: string, prefixes: string[]][] = [
    ["b/1", ["b/", "b0/", "ba/", "c/"]],
    ["b/2/x", ["b/", "b0/", "ba/", "c/"]],
    ["b/2/y", ["b0/", "ba/", "c/"]],
    ["b/", ["b/", "b0/", "ba/", "c/"]],
    ["b/~", ["b0/", "ba/", "c/"]],
    ["c/_", []],
  ];
  for (const [startAfter, prefixes] of wanted) {
    const page = await store.list({ prefix: "", startAfter, limit: 1000, delimiter: "/" });
    expectSame(`prefixes after "${startAfter}"`, page, { keys: [], prefixes, truncated: false });
  }
  const one = await store.list({ prefix: "", startAfter: "b/1", limit: 1, delimiter: "/" });
  expectSame("a page of one", one, { keys: [], prefixes: ["b/"], truncated: true });
  return `${wanted.length} texts`;
}

async function lastObject(store: ObjectStore): Promise<string> {
  const list = () => store.list({ prefix: "n/", limit: 10, delimiter: "/" });
  await store.put(objectKey("n/x/y/1"), bytesOf("1"), IF_ABSENT);
  await store.put(objectKey("n/z"), bytesOf("1"), IF_ABSENT);
  const both = { keys: ["n/z"], prefixes: ["n/x/"], truncated: false };
  expectSame("the folder", await list(), both);
  await store.delete(objectKey("n/x/y/1"));
  const one = { keys: ["n/z"], prefixes: [], truncated: false };
  expectSame("the folder after a delete", await list(), one);
  return "gone at once";
}

async function truncation(store: ObjectStore): Promise<string> {
  await putAll(store);
  const page = (limit: number) => store.list({ prefix: "b/2/", limit });
  expectSame("a page of all", (await page(2)).truncated, false);
  expectSame("a page of less", (await page(1)).truncated, true);
  return "told apart";
}

async function manyKeys(store: ObjectStore): Promise<string> {
  const count = 1_100;
  const name = (number: number) => `many/${String(number).padStart(5, "0")}`;
  await inParallel(count, 32, (number) =>
    store.put(objectKey(name(number)), new Uint8Array(0), IF_ABSENT),
  );
  const keys = Array.from({ length: count }, (_, number) => name(number));
  const whole = await store.list({ prefix: "many/", limit: 5_000 });
  expectSame("all keys", whole, { keys, prefixes: [], truncated: false });
  const page = await store.list({ prefix: "many/", limit: 1_050 });
  expectSame(
    "a page",
    { keys: page.keys, truncated: page.truncated },
    {
      keys: keys.slice(0, 1_050),
      truncated: true,
    },
  );
  return `${count} keys`;
}

async function allPages(list: (startAfter: string) => Promise<ListPage>): Promise<ListPage[]> {
  const all: ListPage[] = [];
  for (let startAfter = ""; ; ) {
    const page = await list(startAfter);
    all.push(page);
    expectThat(all.length < 100, "paging does not come to an end");
    if (!page.truncated) return all;
    startAfter = endOf(page) ?? "";
  }
}
