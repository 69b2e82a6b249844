import { expect, test } from "vitest";
import { ManualClock } from "../clocks/manual-clock.ts";
import type { DocumentsHistory } from "./document-client.ts";
import type { DocumentsInput, DocumentsOutput, DocumentsState } from "./document-model.ts";
import { History } from "./history.ts";
import { verifyDocuments } from "./verify-documents.ts";

const IDS = [0, 1];
const INITIAL: DocumentsState = [
  { v: 0, p: null },
  { v: 0, p: null },
];
const query = (staleSeconds?: number): DocumentsInput => {
  return {
    kind: "read",
    ids: IDS,
    by: "query",
    ...(staleSeconds !== undefined && { staleSeconds }),
  };
};
const upsert = (value: number): DocumentsInput => ({ kind: "upsert", ids: [0], value });
const patch: DocumentsInput = { kind: "patch", ids: [0], value: 9 };
const deletion: DocumentsInput = { kind: "delete namespace", ids: IDS };
const found = (...values: (number | undefined)[]): DocumentsOutput => {
  return { documents: values.map((v) => (v === undefined ? undefined : { v, p: null })) };
};
const MISSING: DocumentsOutput = { namespace: "missing" };
const DELETED: DocumentsOutput = { namespace: "deleted" };

/** Calls one after the other, each a second after the last one. */
type Calls = readonly (readonly [DocumentsInput, DocumentsOutput | undefined])[];

async function historyOf(calls: Calls): Promise<DocumentsHistory> {
  const clock = new ManualClock();
  const history: DocumentsHistory = new History(clock);
  for (const [input, output] of calls) {
    await clock.advance(1_000);
    const staleMs = input.kind === "read" ? 1_000 * (input.staleSeconds ?? 0) : 0;
    await history.record({ caller: "client", input, staleMs }, async () =>
      output === undefined ? { kind: "unknown" } : { kind: "returned", output },
    );
  }
  return history;
}

test.each<[string, isRight: boolean, Calls]>([
  [
    "a strong query of the newest state",
    true,
    [
      [upsert(1), { rows: 1 }],
      [query(), found(1, 0)],
    ],
  ],
  [
    "a strong query of an older state",
    false,
    [
      [upsert(1), { rows: 1 }],
      [query(), found(0, 0)],
    ],
  ],
  [
    "an eventual query of a state that is as old as it allows",
    true,
    [
      [upsert(1), { rows: 1 }],
      [upsert(2), { rows: 1 }],
      [query(2), found(0, 0)],
    ],
  ],
  [
    "an eventual query of an older state than it allows",
    false,
    [
      [upsert(1), { rows: 1 }],
      [upsert(2), { rows: 1 }],
      [query(1), found(0, 0)],
    ],
  ],
  [
    "an eventual query of a state that never was",
    false,
    [
      [upsert(1), { rows: 1 }],
      [query(60), found(1, 1)],
    ],
  ],
  [
    "queries of what is missing, and of what is there again",
    true,
    [
      [deletion, DELETED],
      [query(), MISSING],
      [deletion, MISSING],
      [patch, { rows: 0 }],
      [query(), MISSING],
      [upsert(1), { rows: 1 }],
      [query(), found(1, undefined)],
    ],
  ],
  [
    "documents of a deleted namespace",
    false,
    [
      [deletion, DELETED],
      [query(), found(0, 0)],
    ],
  ],
  ["a namespace that is missing, though it was written to", false, [[query(), MISSING]]],
  [
    "a document from before the deletion",
    false,
    [
      [deletion, DELETED],
      [upsert(1), { rows: 1 }],
      [query(), found(1, 0)],
    ],
  ],
  [
    "a deletion of unknown outcome that took effect later",
    true,
    [
      [deletion, undefined],
      [query(), found(0, 0)],
      [query(), MISSING],
    ],
  ],
  ["a deletion of what was missing", false, [[deletion, MISSING]]],
])("%s: linearizable is %s", async (_what, isRight, calls) => {
  const history = await historyOf(calls);
  const verify = () => verifyDocuments("n", history, INITIAL);
  if (isRight) expect(verify).not.toThrow();
  else expect(verify).toThrow("not linearizable");
});
