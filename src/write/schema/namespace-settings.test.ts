import { expect, test } from "vitest";
import { faultOf } from "../../../test/support/documents/loose-json.ts";
import {
  afterDataWrite,
  afterSchemaChange,
  assertWritable,
  branchSettings,
  copySettings,
  mergeRequest,
  newSettings,
  patchSettings,
} from "./namespace-settings.ts";

const NEW = newSettings(100, {});

test("times follow data writes and schema changes, not settings", () => {
  expect(NEW).toMatchObject({ createdAtMs: 100, updatedAtMs: 100, readOnly: false });
  expect(NEW.lastWriteAtMs).toBeUndefined();
  const written = afterDataWrite(NEW, 200);
  expect(written).toMatchObject({ createdAtMs: 100, updatedAtMs: 200, lastWriteAtMs: 200 });
  const changed = afterSchemaChange(written, 300);
  expect(changed).toMatchObject({ updatedAtMs: 300, lastWriteAtMs: 200 });
  const locked = patchSettings(changed, { readOnly: true, pinning: { replicas: 2 } }, 400);
  expect(locked).toMatchObject({
    updatedAtMs: 300,
    lastWriteAtMs: 200,
    readOnly: true,
    pinning: { replicas: 2, updatedAtMs: 400 },
  });
});

test("an absent member of a change stays, null unpins", () => {
  const pinned = patchSettings(NEW, { pinning: { replicas: 1 } }, 200);
  expect(patchSettings(pinned, { readOnly: true }, 300).pinning?.updatedAtMs).toBe(200);
  expect(patchSettings(pinned, { pinning: { replicas: 1 } }, 300).pinning?.updatedAtMs).toBe(200);
  expect(patchSettings(pinned, { pinning: { replicas: 3 } }, 300).pinning?.updatedAtMs).toBe(300);
  expect(patchSettings(pinned, { pinning: null }, 300)).toEqual(NEW);
  expect(faultOf(() => patchSettings(NEW, { pinning: { replicas: 0 } }, 1)).message).toBe(
    "💔 replicas must be greater than 0",
  );
});

test("a read-only namespace refuses writes until it is writable again", () => {
  const locked = patchSettings(NEW, { readOnly: true }, 200);
  expect(faultOf(() => assertWritable(locked)).message).toBe(
    "💔 Writes not permitted. This namespace is read-only.",
  );
  assertWritable(patchSettings(locked, { readOnly: false }, 300));
});

test("shards are fixed at creation, keys may change", () => {
  const sharded = newSettings(1, { shardCount: 4 });
  expect(mergeRequest(sharded, { shardCount: 4 })).toBe(sharded);
  expect(faultOf(() => mergeRequest(sharded, { shardCount: 8 })).code).toBe("invalid");
  expect(faultOf(() => mergeRequest(NEW, { shardCount: 1 })).code).toBe("invalid");
  for (const shardCount of [0, 257, 1.5]) {
    expect(faultOf(() => newSettings(1, { shardCount })).message).toContain("between 1 and 256");
  }
  const encryption = { kind: "customer_managed", keyName: "k" } as const;
  const keyed = mergeRequest(NEW, { encryption });
  expect(keyed.encryption).toEqual(encryption);
  expect(mergeRequest(keyed, { encryption: { ...encryption } })).toBe(keyed);
});

test("branches and copies inherit read-only, but no pinning", () => {
  const source = patchSettings(
    afterDataWrite(NEW, 200),
    { readOnly: true, pinning: { replicas: 1 } },
    300,
  );
  expect(branchSettings(source, "src", 400)).toEqual({
    createdAtMs: 400,
    updatedAtMs: 400,
    lastWriteAtMs: 200,
    readOnly: true,
    encryption: { kind: "default" },
    parent: "src",
  });
  const copy = copySettings(source, { shardCount: 2 }, 400);
  expect(copy).toEqual({
    createdAtMs: 400,
    updatedAtMs: 400,
    lastWriteAtMs: 400,
    readOnly: true,
    encryption: { kind: "default" },
    shardCount: 2,
  });
  const sharded = newSettings(1, { shardCount: 4 });
  expect(faultOf(() => branchSettings(sharded, "src", 2)).message).toContain("sharded");
});
