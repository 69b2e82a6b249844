/** Openings over a store that asks for fewer requests. */

import { expect, test } from "vitest";
import { EngineFixture } from "../../../test/support/engine/engine-fixture.ts";
import { rowsUpTo } from "../../../test/support/engine/sharing-server.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { STORE_ATTEMPTS_MAX } from "../../storage/retrying-object-store.ts";

/** A store that may refuse ranges of segments, and counts how often it has refused each. */
class ThrottlingStore extends MemoryObjectStore {
  readonly refused = new Map<string, number>();
  isThrottling = false;

  override async getRange(key: ObjectKey, start: number, end: number) {
    if (!this.isThrottling || !key.includes("/segments/")) return super.getRange(key, start, end);
    const range = `${key} ${start}-${end}`;
    this.refused.set(range, (this.refused.get(range) ?? 0) + 1);
    throw new DatabaseError("overloaded", "slow down");
  }
}

test("an opening does not read again, entry by entry, what the store refuses", async () => {
  const store = new ThrottlingStore();
  const before = await EngineFixture.open({ store });
  await before.write("n", { upsert_rows: rowsUpTo(40) });
  await before.indexAll();
  for (let id = 1; id <= 8; id++) await before.write("n", { upsert_rows: [{ id }] });
  await before.close();
  const after = await EngineFixture.open({ store });
  store.isThrottling = true;
  const { status } = await after.call("get_metadata", "n");
  expect(status).toBe(429);
  expect(store.refused.size).toBeGreaterThan(0);
  expect(Math.max(...store.refused.values())).toBe(STORE_ATTEMPTS_MAX);
  store.isThrottling = false;
  expect((await after.call("get_metadata", "n")).status).toBe(200);
  await after.close();
});
