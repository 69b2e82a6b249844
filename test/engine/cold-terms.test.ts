/** Cold text queries where terms lie on pages: their rounds, and what damage of a page does. */

import { expect, test } from "vitest";
import { must } from "../../src/base/assert.ts";
import { FRAME_HEADER_BYTES } from "../../src/codec/frame.ts";
import { headOf, layoutOf } from "../../src/segment/format/segment-format.ts";
import { PAGE_BYTES, PAGE_CONTENT_BYTES } from "../../src/segment/format/segment-pages.ts";
import { TEXT_PAGES, TEXT_ROOT } from "../../src/segment/text/text-kinds.ts";
import { ALWAYS, type ObjectKey } from "../../src/storage/object-store.ts";
import { answerOf, RoundStore } from "../support/engine/cold-namespace.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";

const ROWS = 3000;
const TERMS_PER_ROW = 4;

/** Two segments with some 12,000 terms each, most of which one document has. */
async function fill() {
  const store = new RoundStore();
  const engine = await EngineFixture.open({ store });
  for (let part = 0; part < 2; part++) {
    const rows = Array.from({ length: ROWS }, (_, i) => {
      const id = part * ROWS + i;
      const own = Array.from({ length: TERMS_PER_ROW }, (__, t) => `t${id}x${t}`).join(" ");
      return { id, text: `${own} group${i % 7}`, n: id };
    });
    await engine.write("n", {
      upsert_rows: rows,
      schema: { text: { type: "string", full_text_search: true } },
    });
    await engine.indexAll();
  }
  return { store, engine };
}

const QUERIES: Readonly<Record<string, object>> = {
  words: { rank_by: ["text", "BM25", "t7x1 t4000x2 group3"], limit: 5, include_attributes: true },
  prefix: { rank_by: ["text", "BM25", "t12", { last_as_prefix: true }], limit: 5 },
  filter: {
    rank_by: ["text", "BM25", "group1 t8x1"],
    filters: ["text", "ContainsAnyToken", "t8x2 t15x3 t3500x1"],
    limit: 5,
    include_attributes: ["n"],
  },
};

test.each(Object.entries(QUERIES))("a query of %s over pages takes 3 rounds", async (_, query) => {
  const { store, engine } = await fill();
  const { performance: _warm, ...expected } = await answerOf(engine, query);
  expect((await engine.call("purge_cache", "n")).status).toBe(200);
  store.count();
  const { performance: _cold, ...cold } = await answerOf(engine, query);
  expect(cold).toEqual(expected);
  expect(store.getRounds, store.shown).toBeLessThanOrEqual(3);
  store.isCounting = false;
  await engine.close();
  const next = await EngineFixture.open({ store });
  const { performance: _restarted, ...restarted } = await answerOf(next, query);
  expect(restarted).toEqual(expected);
  await next.close();
});

test("a flipped byte of a page of terms is reported, and never served", async () => {
  const { store, engine } = await fill();
  const { performance: _before, ...expected } = await answerOf(engine, QUERIES.words);
  const { keys } = await store.list({ prefix: "namespaces/", limit: 1000 });
  let damagedCount = 0;
  for (const key of keys.filter((name) => name.includes("/segments/"))) {
    const sound = must(await store.get(key), "an object");
    const offset = offsetOfPages(sound, key);
    if (offset === undefined) continue;
    damagedCount++;
    const damaged = Uint8Array.from(sound);
    damaged[objectOffset(offset + 100)] ^= 4;
    await store.put(key, damaged, ALWAYS);
    await engine.call("purge_cache", "n");
    const { status, json } = await engine.call("query", "n", QUERIES.words);
    expect([status, JSON.stringify(json)]).toEqual([500, expect.stringContaining("checksum")]);
    await store.put(key, sound, ALWAYS);
    await engine.call("purge_cache", "n");
    const { performance: _after, ...after } = await answerOf(engine, QUERIES.words);
    expect(after).toEqual(expected);
  }
  expect(damagedCount).toBeGreaterThan(0);
  await engine.close();
});

/** Where pages of terms begin in the content of a segment; undefined if it has none. */
function offsetOfPages(object: Uint8Array, key: ObjectKey): number | undefined {
  const head = Uint8Array.from(object.subarray(FRAME_HEADER_BYTES));
  if (key.includes(".live-")) return undefined;
  const layout = layoutOf(head);
  const directory = layout.directory(head);
  const root = directory.find(({ kind }) => kind === TEXT_ROOT);
  if (root !== undefined) expect(root.offset).toBeLessThan(headOf(head).length);
  return directory.find(({ kind }) => kind === TEXT_PAGES)?.offset;
}

/** Where a byte of the content is in the object. */
function objectOffset(contentOffset: number): number {
  const page = Math.floor(contentOffset / PAGE_CONTENT_BYTES);
  return FRAME_HEADER_BYTES + page * PAGE_BYTES + (contentOffset - page * PAGE_CONTENT_BYTES);
}
