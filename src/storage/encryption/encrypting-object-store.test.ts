import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  describeObjectStore,
  LARGE_BODIES,
  MANY_KEYS,
} from "../../../test/conformance/object-store.ts";
import { effort } from "../../../test/support/effort.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import type { EncryptionContext } from "../../model/encryption-context.ts";
import { ALWAYS, type ObjectKey, objectKey } from "../object-store.ts";
import { EncryptingObjectStore } from "./encrypting-object-store.ts";
import { decodeEnvelopeHead, encodeEnvelopeHead } from "./encryption-envelope.ts";
import type { KeyService } from "./key-service.ts";
import { LocalKeyService } from "./local-key-service.ts";
import { SegmentHeads } from "./segment-heads.ts";

/** One for all, so that no two keys and no two nonces are the same. */
const shared = seededRandom(21);

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
  const file = (name: string, content: string | Uint8Array) =>
    writeFile(join(directory.path, name), content);
  await file("raw", shared.bytes(32));
  await file("hex", `${Buffer.from(shared.bytes(32)).toString("hex")}\n`);
  await file("base64", `${Buffer.from(shared.bytes(32)).toString("base64")}\n`);
  await file("short", "0123");
});
afterAll(() => directory.remove());

const keyService = (path = directory.path) => new LocalKeyService({ path, random: shared });
const encrypting = (inner: MemoryObjectStore, keyName: string | undefined, keys?: KeyService) =>
  new EncryptingObjectStore({
    store: inner,
    keys: keys ?? keyService(),
    random: shared,
    heads: new SegmentHeads(),
    keyName,
  });

/** Bodies of 300,000 bytes have several chunks already, and listings are the inner store's. */
const leftOut = effort({ usual: [LARGE_BODIES, MANY_KEYS], full: [] });
const close = async () => undefined;

describeObjectStore(
  "EncryptingObjectStore",
  async () => ({ store: encrypting(new MemoryObjectStore(), "raw"), close }),
  leftOut,
);

describeObjectStore(
  "EncryptingObjectStore without a key of its own",
  async () => ({ store: encrypting(new MemoryObjectStore(), undefined), close }),
  leftOut,
);

describe("EncryptingObjectStore", () => {
  const key = objectKey("n/object");
  const body = new TextEncoder().encode("plain text that must not be seen ".repeat(5000));

  test("stores nothing readable, and never the same bytes twice", async () => {
    const inner = new MemoryObjectStore();
    const store = encrypting(inner, "hex");
    await store.put(key, body, ALWAYS);
    const first = await mustGet(inner, key);
    expect(Buffer.from(first).includes("plain text")).toBe(false);
    await store.put(key, body, ALWAYS);
    expect(await mustGet(inner, key)).not.toEqual(first);
    expect(first.length).toBe(1024 + body.length + 16 * Math.ceil(body.length / 65_536));
  });

  test("reads objects of other keys, and ones from before there was a key", async () => {
    const inner = new MemoryObjectStore();
    for (const [index, keyName] of [undefined, "raw", "hex", "base64"].entries()) {
      await encrypting(inner, keyName).put(objectKey(`k/${index}`), body, ALWAYS);
    }
    for (let index = 0; index < 4; index++) {
      const whole = await encrypting(inner, undefined).get(objectKey(`k/${index}`));
      expect(isSame(whole, body)).toBe(true);
      const range = await encrypting(inner, "raw").getRange(
        objectKey(`k/${index}`),
        65_530,
        65_540,
      );
      expect(range).toEqual(body.slice(65_530, 65_540));
    }
  });

  test.each([undefined, "raw"])(
    "a range takes one round of requests, and of a known segment one request (key %s)",
    async (keyName) => {
      const inner = new MemoryObjectStore();
      const segment = objectKey("namespaces/n-table/0000000001/segments/one");
      const large = seededRandom(12).bytes(1_000_000);
      await encrypting(inner, keyName).put(segment, large, ALWAYS);
      await encrypting(inner, keyName).put(key, large, ALWAYS);
      let rounds: number[] = [];
      let waiting: (() => void)[] = [];
      const slow = Object.assign(Object.create(inner), {
        getRange: async (...words: Parameters<MemoryObjectStore["getRange"]>) => {
          await new Promise<void>((go) => {
            if (waiting.push(go) > 1) return;
            setImmediate(() => {
              rounds.push(waiting.length);
              for (const each of waiting.splice(0)) each();
            });
          });
          return inner.getRange(...words);
        },
      });
      const cost = async (of: ObjectKey, start: number, end: number, by: typeof store) => {
        rounds = [];
        waiting = [];
        expect(isSame(await by.getRange(of, start, end), large.subarray(start, end))).toBe(true);
        return rounds;
      };
      const store = encrypting(slow, undefined);
      expect(await cost(segment, 700_000, 800_000, store)).toEqual([2]);
      expect(await cost(segment, 100_000, 900_000, store)).toEqual([1]);
      expect(await cost(segment, 0, 1_000_000, store)).toEqual([1]);
      expect(await cost(segment, 70_000, 80_000, encrypting(slow, undefined))).toEqual([1]);
      // Other objects may change.
      for (let i = 0; i < 2; i++) expect(await cost(key, 700_000, 800_000, store)).toEqual([2]);
    },
  );

  test("objects under a key with a context are read by all, and open by no other", async () => {
    const inner = new MemoryObjectStore();
    const keyContext = { tenant: "a", region: "é" };
    const bound = (context: EncryptionContext | undefined) =>
      new EncryptingObjectStore({
        store: inner,
        keys: keyService(),
        random: shared,
        heads: new SegmentHeads(),
        keyName: "raw",
        keyContext: context,
      });
    await bound(keyContext).put(key, body, ALWAYS);
    const reversed = { region: "é", tenant: "a" };
    for (const store of [bound(undefined), bound(reversed), encrypting(inner, undefined)]) {
      expect(isSame(await store.get(key), body)).toBe(true);
      expect(await store.getRange(key, 65_530, 65_540)).toEqual(body.slice(65_530, 65_540));
    }
    const whole = await mustGet(inner, key);
    const head = decodeEnvelopeHead(whole, "o");
    expect(head.keyContext).toEqual(keyContext);
    const keys = keyService();
    expect(await keys.unwrap("raw", head.wrappedKey, reversed)).toHaveLength(32);
    for (const other of [undefined, {}, { tenant: "a" }, { tenant: "b", region: "é" }]) {
      await expect(keys.unwrap("raw", head.wrappedKey, other)).rejects.toThrow(/not the one/);
    }
  });

  test("flipped bits of a head with a context are damage, never another context", async () => {
    const seed = 12;
    const random = seededRandom(seed);
    const context = Object.fromEntries([["k".repeat(200), "v".repeat(300)]]);
    const head = {
      keyName: "raw",
      keyContext: context,
      wrappedKey: random.bytes(188),
      bodyBytes: 5,
    };
    const bytes = encodeEnvelopeHead(head);
    expect(decodeEnvelopeHead(bytes, "o")).toEqual({
      ...head,
      wrappedKey: Buffer.from(head.wrappedKey),
    });
    for (let round = 0; round < 300; round++) {
      const flipped = bytes.slice();
      flipped[4 + random.below(flipped.length - 4)] ^= 1 << random.below(8);
      const decode = () => decodeEnvelopeHead(flipped, "o");
      expect(decode, `seed ${seed}, round ${round}`).toThrow(/checksum/);
    }
  });

  test("objects of development versions are too old, those of later ones too new", async () => {
    const inner = new MemoryObjectStore();
    const store = encrypting(inner, "raw");
    await store.put(key, body, ALWAYS);
    const whole = await mustGet(inner, key);
    const withHead = (magic: string, version: number) => {
      const bytes = Buffer.from(whole);
      bytes.write(magic, "latin1");
      bytes.writeUInt16LE(version, 4);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 1020)), 1020);
      return bytes;
    };
    for (const [magic, version, code, text] of [
      ["TRWE", 1, "too_old", "by a development version before 0.2.0"],
      ["TRWE", 2, "too_old", "by a development version before 0.2.0"],
      ["TREN", 2, "too_new", "encryption version 2, this server reads 1"],
    ] as const) {
      await inner.put(key, withHead(magic, version), ALWAYS);
      for (const read of [store.get(key), store.getRange(key, 0, 9)]) {
        const message = expect.stringMatching(`^cannot read n/object: .*${text}`);
        await expect(read).rejects.toMatchObject({ code, message });
      }
    }
  });

  test("an object under another object's key is damage", async () => {
    const inner = new MemoryObjectStore();
    await encrypting(inner, "raw").put(key, body, ALWAYS);
    const other = objectKey("n/other");
    await inner.put(other, await mustGet(inner, key), ALWAYS);
    const store = encrypting(inner, "raw");
    await expect(store.get(other)).rejects.toMatchObject({ code: "corrupt" });
    await expect(store.getRange(other, 0, 9)).rejects.toThrow(/n\/other/);
  });

  test("an object cut between two chunks is damage", async () => {
    const inner = new MemoryObjectStore();
    const store = encrypting(inner, "raw");
    await store.put(key, body, ALWAYS);
    const whole = await mustGet(inner, key);
    for (const chunks of [0, 1, 2]) {
      await inner.put(key, whole.slice(0, 1024 + chunks * (65_536 + 16)), ALWAYS);
      expect(await attempt(store.get(key))).toBe("corrupt");
      expect(await attempt(store.getRange(key, 0, body.length))).toBe("corrupt");
    }
  });

  test("flipped, cut and lengthened objects are damage or unchanged, never else", async () => {
    const seed = 11;
    const random = seededRandom(seed);
    const inner = new MemoryObjectStore();
    const store = encrypting(inner, "raw");
    await store.put(key, body, ALWAYS);
    const whole = await mustGet(inner, key);
    for (let round = 0; round < effort({ usual: 40, full: 150 }); round++) {
      await inner.put(key, mutate(whole, random), ALWAYS);
      const outcomes = [
        await attempt(store.get(key)),
        await attempt(store.getRange(key, 70_000, 9e9)),
      ];
      for (const [index, outcome] of outcomes.entries()) {
        const expected = index === 0 ? body : body.slice(70_000);
        const fine = outcome === "corrupt" || isSame(outcome, expected);
        expect(fine, `seed ${seed}, round ${round}: ${String(outcome).slice(0, 80)}`).toBe(true);
      }
      expect(outcomes[0]).toBe("corrupt");
    }
  });

  test("a key that is gone, or was replaced, is named with the object", async () => {
    const inner = new MemoryObjectStore();
    const path = join(directory.path, "brief");
    await writeFile(path, shared.bytes(32));
    await encrypting(inner, "brief").put(key, body, ALWAYS);
    await writeFile(path, shared.bytes(32));
    const store = encrypting(inner, "raw");
    await expect(store.get(key)).rejects.toThrow(/n\/object.*key brief is not the one/);
    await unlink(path);
    await expect(store.get(key)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/n\/object.*key brief is gone.*put the key file back/),
    });
    await expect(encrypting(inner, "brief").put(key, body, ALWAYS)).rejects.toMatchObject({
      code: "invalid",
    });
  });
});

describe("LocalKeyService", () => {
  test("opens what it closed, and only under the same name", async () => {
    const dataKey = shared.bytes(32);
    for (const name of ["raw", "hex", "base64"]) {
      const wrapped = await keyService().wrap(name, dataKey);
      expect(Buffer.compare(await keyService().unwrap(name, wrapped), dataKey)).toBe(0);
      expect(await keyService().wrap(name, dataKey)).not.toEqual(wrapped);
      const other = name === "raw" ? "hex" : "raw";
      await expect(keyService().unwrap(other, wrapped)).rejects.toThrow(/not the one/);
    }
  });

  test("refuses unknown, malformed and unusable names in the words of the contract", async () => {
    for (const name of [
      "none",
      "",
      "../raw",
      "a/b",
      ".raw",
      "short",
      "n\u0000l",
      "x".repeat(300),
    ]) {
      await expect(keyService().wrap(name, shared.bytes(32))).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining(`Malformed Cloud KMS crypto key: ${name} (`),
      });
    }
  });

  test("takes a single file, which serves its own name only", async () => {
    const keys = keyService(join(directory.path, "raw"));
    await keys.wrap("raw", shared.bytes(32));
    await expect(keys.wrap("hex", shared.bytes(32))).rejects.toThrow(/another name/);
  });

  test("is refused where there is nothing to take keys from", async () => {
    const absent = join(directory.path, "absent");
    await keyService(directory.path).prepare();
    await new LocalKeyService({ path: undefined, random: shared }).prepare();
    await expect(keyService(absent).prepare()).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(`^cannot use --encryption-keys ${absent}: ENOENT.*; it must`),
    });
  });

  test("says how to configure keys where there are none", async () => {
    const keys = new LocalKeyService({ path: undefined, random: shared });
    await expect(keys.wrap("raw", shared.bytes(32))).rejects.toThrow(/TRAWL_ENCRYPTION_KEYS/);
  });
});

async function mustGet(store: MemoryObjectStore, key: ObjectKey): Promise<Uint8Array> {
  return (await store.get(key)) ?? new Uint8Array(0);
}

/** Flips a bit, cuts the end off, or adds to it. */
function mutate(whole: Uint8Array, random: ReturnType<typeof seededRandom>): Uint8Array {
  const kind = random.below(3);
  if (kind === 0) {
    const copy = whole.slice();
    // The magic itself is spared: without it the bytes are an object that is not encrypted.
    copy[4 + random.below(copy.length - 4)] ^= 1 << random.below(8);
    return copy;
  }
  if (kind === 1) return whole.slice(0, 4 + random.below(whole.length - 4));
  return Buffer.concat([whole, random.bytes(1 + random.below(100_000))]);
}

async function attempt(read: Promise<Uint8Array | undefined>): Promise<unknown> {
  try {
    return await read;
  } catch (error) {
    return isDatabaseError(error) ? error.code : error;
  }
}

function isSame(read: unknown, expected: Uint8Array): boolean {
  return read instanceof Uint8Array && Buffer.compare(read, expected) === 0;
}
