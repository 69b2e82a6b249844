import { expect, test } from "vitest";
import { faultOf } from "../../test/support/documents/loose-json.ts";
import { create } from "../../test/support/documents/schema-changes.ts";
import { damagedBytes, readOutcome } from "../../test/support/random/damaged-bytes.ts";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random/random-documents.ts";
import { namespaceName, type SegmentId } from "../base/ids.ts";
import { joinPieces } from "../base/pieces.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { buildDocuments, buildIds } from "../codec/columns-builder.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import type { WalRecord } from "./wal-entry.ts";
import { decodeBatches, encodeBatches, type WriteBatch } from "./wal-records.ts";

const KEY = "namespaces/n-table/0000000001/wal/00000000000000000001";

function sample(): WriteBatch[] {
  const random = seededRandom(7);
  const some = randomDocuments(random, 20, { idType: "uuid", types: EVERY_TYPE });
  const documents = buildDocuments("uuid", EVERY_TYPE, some);
  const schema = create({ id: "uuid", t: { type: "string", full_text_search: true } });
  const settings: NamespaceSettings = {
    createdAtMs: 5,
    updatedAtMs: 5,
    readOnly: false,
    encryption: { kind: "customer_managed", keyName: "mine" },
    shardCount: 4,
  };
  const owner = { name: namespaceName("other"), generation: 2 };
  const segments = [
    {
      id: "s1" as SegmentId,
      documentCount: 3,
      bytes: 999,
      deletedCount: 0,
      head: "AAAA",
      indexFingerprint: "0123456789abcdef",
      owner,
    },
  ];
  const ids = buildIds("string", ["a", ""]);
  return [
    [
      { kind: "schema", schema },
      { kind: "settings", settings },
      { kind: "documents", documents },
    ],
    [],
    [{ kind: "deletes", deletes: { idType: "string", count: 2, ids } }],
    [{ kind: "import", source: "other", segments }],
    [{ kind: "delete_namespace" }],
  ];
}

/** Records as they come back from the log. */
function encoded(batches: readonly WriteBatch[]): WalRecord[] {
  return runSteps(encodeBatches(batches)).map(({ kind, pieces }) => {
    return { kind, bytes: Uint8Array.from(joinPieces(pieces)) };
  });
}

test("batches survive encoding, each with its own records", () => {
  const batches = sample();
  const decoded = decodeBatches(encoded(batches), KEY);
  expect(decoded).toHaveLength(batches.length);
  expect(decoded[0][0]).toEqual(batches[0][0]);
  expect(decoded[0][1]).toEqual(batches[0][1]);
  // Columns may come back in another form, but they encode to the same bytes.
  expect(encoded(decoded)[3]).toEqual(encoded(batches)[3]);
  expect(decoded.slice(1)).toEqual(batches.slice(1));
});

test("records of a newer server are told from damage", () => {
  const [head, ...records] = encoded(sample());
  const code = (list: Parameters<typeof decodeBatches>[0]) => {
    const fault = faultOf(() => decodeBatches(list, KEY));
    expect(fault.message).toContain(KEY);
    return fault.code;
  };
  expect(code([{ kind: 99, bytes: head.bytes }])).toBe("too_new");
  expect(code([head, { ...records[0], kind: 200 }, ...records.slice(1)])).toBe("too_new");
  const newer = Uint8Array.from(head.bytes);
  newer[0] = 2;
  expect(code([{ kind: 1, bytes: newer }, ...records])).toBe("too_new");
  expect(code(records)).toBe("corrupt");
  expect(code([head, records[0]])).toBe("corrupt");
  expect(code([head, head, ...records.slice(1)])).toBe("corrupt");
});

test("damaged records are corrupt or too new, never something else", async () => {
  const random = seededRandom(11);
  const whole = encoded(sample());
  for (let round = 0; round < 1000; round++) {
    const at = random.below(whole.length);
    if (whole[at].bytes.length === 0) continue;
    const damaged = whole.with(at, { ...whole[at], bytes: damagedBytes(whole[at].bytes, random) });
    const outcome = await readOutcome(() => decodeBatches(damaged, KEY));
    if ("code" in outcome) expect(["corrupt", "too_new"]).toContain(outcome.code);
  }
});
