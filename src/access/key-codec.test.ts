import { describe, expect, test } from "vitest";
import { encodeFrame } from "../codec/frame.ts";
import { apiKeyKey } from "../storage/object-keys.ts";
import { type ApiKey, keyHash, keyId } from "./api-key.ts";
import {
  decodeApiKey,
  decodeChanges,
  decodeKeyUses,
  decodeRevocation,
  encodeApiKey,
  encodeChanges,
  encodeKeyUses,
  encodeRevocation,
} from "./key-codec.ts";

const hash = keyHash("tpuf_of-this-test");
const id = keyId(hash);
const PLAIN: ApiKey = {
  ...{ id, hash, name: "n", lastFour: "test", createdAtMs: 1 },
  ...{ actions: ["read"], namespaces: ["a-*"] },
};
const FULL: ApiKey = {
  ...PLAIN,
  expiresAtMs: 1_767_225_600_000,
  requestsPerSecond: 0.5,
  bytesPerSecond: 1e6,
};

test.each([PLAIN, FULL])("a key is read as it was written %#", async (key) => {
  expect(await decodeApiKey(await encodeApiKey(key), id)).toEqual(key);
});

test("so are the other objects", async () => {
  expect(await decodeRevocation(await encodeRevocation(id, 7), id)).toBe(7);
  expect(await decodeChanges(await encodeChanges("ab"))).toBe("ab");
  const times = new Map([[id, 5]]);
  expect(await decodeKeyUses(await encodeKeyUses(times))).toEqual(times);
});

describe("what is stored", () => {
  const stored = (content: unknown, version = 1) =>
    encodeFrame({
      kind: "API key",
      object: apiKeyKey(id),
      version,
      parts: [Buffer.from(typeof content === "string" ? content : JSON.stringify(content))],
      compression: "never",
    });

  test("is read for ever: version 1", async () => {
    const json =
      `{"name":"n","actions":["read"],"namespaces":["a-*"],"createdAtMs":1,"id":"${id}",` +
      `"hash":"${hash}","lastFour":"test"}`;
    expect(await decodeApiKey(await stored(json), id)).toEqual(PLAIN);
  });

  test("is refused of another version, and under another key", async () => {
    await expect(decodeApiKey(await stored(PLAIN, 2), id)).rejects.toMatchObject({
      code: "too_new",
    });
    const other = keyId(keyHash("other"));
    await expect(decodeApiKey(await stored(PLAIN), other)).rejects.toMatchObject({
      code: "corrupt",
    });
  });

  test.each([
    ["{", "JSON"],
    ["null", "JSON"],
    [{ ...PLAIN, name: 1 }, "name"],
    [{ ...PLAIN, hash: keyHash("other") }, "hash, which is of another id"],
    [{ ...PLAIN, hash: "00" }, "hash"],
    [{ ...PLAIN, actions: ["all"] }, "actions"],
    [{ ...PLAIN, actions: "read" }, "actions"],
    [{ ...PLAIN, namespaces: ["a*b"] }, "namespaces"],
    [{ ...PLAIN, createdAtMs: "1" }, "createdAtMs"],
    [{ ...PLAIN, expiresAtMs: "never" }, "expiresAtMs"],
    [{ ...PLAIN, lastFour: undefined }, "lastFour"],
  ])("is damaged if it holds %j", async (content, what) => {
    await expect(decodeApiKey(await stored(content), id)).rejects.toMatchObject({
      code: "corrupt",
      message: `cannot read API key keys/${id}/key: it has no valid ${what}`,
    });
  });
});
