import { expect, test } from "vitest";
import { namespaceName, type SegmentId, sequenceNumber } from "../base/ids.ts";
import * as keys from "./object-keys.ts";

const generation = { name: namespaceName(".."), generation: 12 };

test("keys are what the store shows", () => {
  expect(keys.walKey(generation, sequenceNumber(7))).toBe(
    "namespaces/..-table/0000000012/wal/00000000000000000007",
  );
  expect(keys.manifestKey(generation, 3)).toBe(
    "namespaces/..-table/0000000012/manifest/00000000000000000003",
  );
  expect(keys.segmentKey(generation, "s-1" as SegmentId)).toBe(
    "namespaces/..-table/0000000012/segments/s-1",
  );
  expect(keys.deletedKey(generation)).toBe("deleted/..-table/0000000012");
  expect(keys.deletingKey(generation)).toBe("deleting/..-table/0000000012");
});

test("parsing undoes making, for every kind of key", () => {
  for (const text of [".", "..", "-table", "a-table", "x.y_Z-9", "n".repeat(128)]) {
    for (const generationNumber of [1, 9_999_999_999]) {
      const place = { name: namespaceName(text), generation: generationNumber };
      const last = sequenceNumber(Number.MAX_SAFE_INTEGER);
      expect(keys.parseNamespacePrefix(keys.namespacePrefix(place.name))).toBe(place.name);
      expect(keys.parseGenerationPrefix(keys.generationPrefix(place))).toEqual(place);
      expect(keys.parseWalKey(place, keys.walKey(place, last))).toBe(last);
      expect(keys.parseManifestKey(place, keys.manifestKey(place, 5))).toBe(5);
      expect(keys.parseSegmentKey(place, keys.segmentKey(place, "a.b" as SegmentId))).toBe("a.b");
      expect(keys.parseDeletedKey(keys.deletedKey(place))).toEqual(place);
      expect(keys.parseDeletingKey(keys.deletingKey(place))).toEqual(place);
    }
  }
});

test("other texts are no keys", () => {
  for (const text of [
    "namespaces/a/",
    "namespaces/a-table",
    "other/a-table/",
    "namespaces/-table/",
  ]) {
    expect(keys.parseNamespacePrefix(text), text).toBeUndefined();
  }
  for (const text of ["namespaces/a-table/12/", "namespaces/a-table/000000001x/", "a"]) {
    expect(keys.parseGenerationPrefix(text), text).toBeUndefined();
  }
  const wal = keys.walPrefix(generation);
  for (const name of ["1", ".DS_Store", "99999999999999999999", "0000000000000000001 "]) {
    expect(keys.parseWalKey(generation, wal + name), name).toBeUndefined();
  }
  expect(keys.parseWalKey(generation, keys.manifestKey(generation, 1))).toBeUndefined();
  expect(keys.parseDeletedKey(keys.deletingKey(generation))).toBeUndefined();
  expect(keys.parseSegmentKey(generation, `${keys.segmentPrefix(generation)}a/b`)).toBeUndefined();
});

test("byte order of keys is the order of their numbers", () => {
  const numbers = [1, 9, 10, 99, 100, 2 ** 40].map(sequenceNumber);
  const made = numbers.map((number) => keys.walKey(generation, number));
  expect([...made].sort()).toEqual(made);
});

test("a number that does not fit is a bug", () => {
  expect(() => keys.generationPrefix({ ...generation, generation: 10_000_000_000 })).toThrow(
    /assertion/,
  );
  expect(() => keys.manifestKey(generation, -1)).toThrow(/assertion/);
});
