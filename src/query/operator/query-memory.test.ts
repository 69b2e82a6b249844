import { expect, test } from "vitest";
import { MemoryPool } from "../../base/memory-pool.ts";
import { QueryMemory } from "./query-memory.ts";

test("what one query may not take is refused for good, what others have for now", () => {
  const pool = new MemoryPool(1000);
  const [first, second] = [new QueryMemory(pool), new QueryMemory(pool)];
  first.take(600, "groups");
  second.take(300, "groups");
  expect(() => second.take(200, "returned values")).toThrow(
    expect.objectContaining({
      code: "out_of_memory",
      message: expect.stringMatching(/900 of 1000 bytes, and it needs 500.* returned values/),
    }),
  );
  expect(() => first.take(401, "groups")).toThrow(
    expect.objectContaining({ code: "invalid", message: expect.stringContaining("for groups") }),
  );
  first.give(100);
  second.take(200, "returned values");
  expect(pool.bytesUsed).toBe(1000);
  first.release();
  second.release();
  expect([first.bytes, pool.bytesUsed]).toEqual([0, 0]);
});
