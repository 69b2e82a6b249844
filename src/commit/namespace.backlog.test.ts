/** More in the log than indexers keep up with: writes and strong queries wait for them. */

import { expect, test } from "vitest";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";

const UNINDEXED_BYTES_MAX = 20_000;
const STRONG = { rank_by: ["id", "asc"], limit: 100 };
const EVENTUAL = { ...STRONG, consistency: { level: "eventual" } };

function row(id: number) {
  return { id, text: Buffer.from(`${id}`.repeat(2000)).toString("base64"), n: id };
}

test("above the limit writes and strong queries are refused until indexers catch up", async () => {
  const thresholds = { unindexedBytesMax: UNINDEXED_BYTES_MAX, indexTailBytes: 10_000 };
  const engine = await EngineFixture.open({ thresholds });
  const schema = { text: { type: "string", filterable: false } };
  let count = 0;
  const upsert = (more: object = {}) =>
    engine.call("write", "n", { upsert_rows: [row(count)], schema, ...more });
  const bytes = async () => {
    const { index } = (await engine.call("get_metadata", "n")).json;
    return { status: index.status, isOver: (index.unindexed_bytes ?? 0) > UNINDEXED_BYTES_MAX };
  };
  for (; count === 0 || !(await bytes()).isOver; count++) {
    expect((await upsert()).status).toBe(200);
    expect(count).toBeLessThan(1000);
  }
  const refused = await upsert();
  expect(refused.status).toBe(429);
  expect(refused.json.error).toMatch(/too much unindexed data in namespace 'n': \d+ bytes/);
  expect(Number(refused.headers["retry-after-ms"])).toBeGreaterThan(0);
  // A client may ask to be served all the same.
  expect((await upsert({ disable_backpressure: true })).status).toBe(200);
  count++;
  const strong = await engine.call("query", "n", STRONG);
  expect([strong.status, strong.json.error]).toEqual([
    429,
    expect.stringMatching(/strongly consistent query.*set consistency.level to eventual/),
  ]);
  expect(Number(strong.headers["retry-after-ms"])).toBeGreaterThan(0);
  const eventual = await engine.call("query", "n", EVENTUAL);
  expect([eventual.status, eventual.json.rows.length]).toEqual([200, count]);
  await engine.indexAll();
  expect(await bytes()).toEqual({ status: "up-to-date", isOver: false });
  expect((await upsert()).status).toBe(200);
  const after = await engine.call("query", "n", STRONG);
  expect([after.status, after.json.rows.length]).toEqual([200, count + 1]);
  await engine.close();
});
