/** A divided query and the threads that help it, all of them in this one thread. */

import type { MessagePort } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import { runRequest } from "../../query/executor/run-request.ts";
import type { Snapshot } from "../../query/operator/snapshot.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import type { PartMessage, PartsOffer } from "../thread-messages.ts";
import { PartBoard } from "./part-board.ts";
import { HELPERS_MAX, QueryDivision } from "./query-division.ts";
import { type HelpOptions, takeParts } from "./take-parts.ts";

const STATE = { instance: "movies/1/1" as NamespaceInstance, version: 7 };
const LIMITS = { documentsMin: 1, rangeDocuments: 4, restMsMin: 0 };
const SCHEMA = schemaOf({ n: "int" });
const DOCUMENTS = Array.from({ length: 100 }, (_, i) => {
  return documentOf(BigInt(i), { n: BigInt((i * 37) % 100) });
});
const SNAPSHOT = openSnapshot(SCHEMA, [
  { documents: DOCUMENTS.slice(0, 70) },
  { documents: DOCUMENTS.slice(70) },
]);
const REQUEST = requestOf(
  documentQuery(
    { kind: "order", keys: [{ attribute: "n", direction: "desc" }] },
    { filter: filterOf(["n", "Lt", 90]), limit: 12 },
  ),
);
const WHOLE = runReads(runRequest(SNAPSHOT, REQUEST, { kernels: KERNELS }));
/** Each part skips what its own best documents allow. */
const unskipped = {
  candidatesSkipped: expect.any(Number),
  valuesCompared: expect.any(Number),
};
const EXPECTED = {
  ...WHOLE,
  stats: { ...WHOLE.stats, ...unskipped },
  works: WHOLE.works.map((work) => ({ ...work, ...unskipped })),
};

/** What an idle thread does that is offered parts, before the query itself goes on. */
type Help = (offer: PartsOffer, port: MessagePort) => void;

/** Runs the query; each thread helps as it is told. The clock moves on with each look at it. */
function divide(helps: readonly Help[], snapshot = SNAPSHOT) {
  const ran: PartMessage[] = [];
  const offers: PartsOffer[] = [];
  let nowMs = 0;
  const division = new QueryDivision(STATE, {
    limits: LIMITS,
    idleCount: () => helps.length,
    monotonicMs: () => nowMs++,
    workedMs: () => nowMs++,
    offer: (offer, ports) => {
      offers.push(offer);
      ports.forEach((port, i) => {
        helps[i](structuredClone(offer), structuredClone(port, { transfer: [port] }));
      });
    },
    ran: (message) => ran.push(message),
  });
  const found = runReads(runRequest(snapshot, REQUEST, { kernels: KERNELS, division }));
  return { found, ran, offers };
}

/** Takes one part before the query goes on; takes the next ones later, when none is left. */
function helper(snapshot: Snapshot, options: Partial<HelpOptions> = {}): Help {
  return (offer, port) => {
    void takeParts(offer, port, snapshot, helpOptions(options));
  };
}

/** Milliseconds by which each reading advances the clock of helping threads. */
const LOOK_MS = 0.01;

function helpOptions(options: Partial<HelpOptions>): HelpOptions {
  let nowMs = 0;
  return {
    kernels: KERNELS,
    reads: { touches: { touched: 0, resident: 0 }, run: async (attempt) => attempt() },
    loadBytesMax: 1e9,
    monotonicMs: () => {
      nowMs += LOOK_MS;
      return nowMs;
    },
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    ...options,
  };
}

test("parts that other threads have run are part of the answer, and of its cost", () => {
  const { found, ran, offers } = divide([helper(SNAPSHOT), helper(SNAPSHOT)]);
  expect(found).toEqual(EXPECTED);
  expect(ran.map(({ part }) => part).sort()).toEqual([0, 1]);
  expect(offers).toHaveLength(1);
  expect(offers[0]).toMatchObject(STATE);
  expect(offers[0].segments).toEqual(SNAPSHOT.segments.map(({ view }) => view.id));
});

test("without anybody's help the query runs all parts itself", () => {
  const { found, ran } = divide([() => {}]);
  expect(found).toEqual(EXPECTED);
  expect(ran).toEqual([]);
});

test("at most so many threads are asked", () => {
  let asked = 0;
  divide(Array.from({ length: HELPERS_MAX + 5 }, () => () => void asked++));
  expect(asked).toBe(HELPERS_MAX);
});

describe("a part that another thread took is run by the query", () => {
  test("where that thread fails", () => {
    const broken = { ...SNAPSHOT, segments: [] };
    const { found, ran } = divide([helper(broken), helper(SNAPSHOT)]);
    expect(found).toEqual(EXPECTED);
    expect(ran).toHaveLength(1);
  });

  test("where bytes are missing there, which are then loaded", async () => {
    const { snapshot: remote, sources } = remoteSnapshot(SNAPSHOT);
    const loads: BytesMissing[] = [];
    const run = async <T>(attempt: () => T): Promise<T> => {
      try {
        return attempt();
      } catch (error) {
        if (!(error instanceof BytesMissing)) throw error;
        loads.push(error);
        for (const source of sources) source.load(error.wanted);
        return attempt();
      }
    };
    const reads = { touches: { touched: 0, resident: 0 }, run };
    const counts: number[] = [];
    // A directory leads to columns, and those to their values.
    for (let query = 0; query < 4; query++) {
      const { found, ran } = divide([helper(remote, { reads })]);
      expect(found).toEqual(EXPECTED);
      counts.push(ran.length);
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(counts.at(0)).toBe(0);
    expect(counts.at(-1)).toBe(1);
    expect(counts.filter((count) => count === 0)).toHaveLength(loads.length);
  });

  test("where it does not come back in time", () => {
    const { found, ran } = divide([(offer) => void new PartBoard(offer.board).take()]);
    expect(found).toEqual(EXPECTED);
    expect(ran).toEqual([]);
  });
});

test("a part that nobody wants any more is not run to its end", async () => {
  const posted: PartMessage[] = [];
  const port = { postMessage: (message: PartMessage) => void posted.push(message) };
  const { offers } = divide([() => {}]);
  const [{ plan, parts }] = offers;
  const board = PartBoard.of(parts.length);
  /** Looks at the clock are made before and behind a part. */
  const monotonicMs = () => {
    board.close();
    return 0;
  };
  const offer = { ...offers[0], plan, parts, board: board.buffer };
  const options = helpOptions({ monotonicMs });
  expect(await takeParts(offer, port, SNAPSHOT, options)).toBe(0);
  expect(posted).toEqual([]);
});

test("a part that takes longer than planned is returned at its next pause", async () => {
  let looks = 0;
  const monotonicMs = () => 20 * looks++;
  const { found, ran, offers } = divide([helper(SNAPSHOT, { monotonicMs })]);
  expect(found).toEqual(EXPECTED);
  expect(offers).toHaveLength(1);
  expect(ran).toEqual([]);
  // Before the part, and at its first pause.
  expect(looks).toBe(2);
});

test("more bytes than a thread may load are not loaded", () => {
  const { snapshot: remote } = remoteSnapshot(SNAPSHOT);
  let loads = 0;
  const run = async <T>(attempt: () => T): Promise<T> => {
    loads++;
    return attempt();
  };
  const reads = { touches: { touched: 0, resident: 0 }, run };
  expect(divide([helper(remote, { reads, loadBytesMax: 10 })]).found).toEqual(EXPECTED);
  expect(loads).toBe(0);
});

test("where the query fails nobody begins another part", () => {
  const [first, { view, liveBitmap, liveCount, liveVersion }] = SNAPSHOT.segments;
  const column = () => {
    throw new Error("damaged");
  };
  const { id, documentCount, ids } = view;
  const damaged = { id, documentCount, ids, column, hasIndex: () => false, index: () => undefined };
  const second = { view: damaged as unknown as SegmentView, liveBitmap, liveCount, liveVersion };
  const boards: PartBoard[] = [];
  const look: Help = (offer) => void boards.push(new PartBoard(offer.board));
  const snapshot = { ...SNAPSHOT, segments: [first, second] };
  expect(() => divide([look], snapshot)).toThrow("damaged");
  expect(boards[0].take()).toBeUndefined();
});
