/**
 * Divides the work of a plan into parts that threads take one after the other. One to three parts
 * are run and timed; the rest is divided where it would take so long that help is worth its cost.
 */

import type { Steps } from "../../base/steps.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type {
  Division,
  DivisionLimits,
  PartOutcome,
  PlanPart,
  SegmentRange,
} from "../operator/division.ts";
import { coarsest, type Grain } from "../operator/grain.ts";
import type { Plan } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { addWorkStats, newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";
import { mergeFindings, type PlanInput, runPart } from "./findings.ts";

/** What suits segments in memory; a plan takes some 0.1 ms for so few documents. */
const DIVISION_LIMITS: DivisionLimits = {
  documentsMin: 4 * SCAN_ROWS_MAX,
  rangeDocuments: SCAN_ROWS_MAX,
  // A helper begins some 0.7 ms after it was asked for, and each part costs its bitmaps.
  restMsMin: 4,
};
/** What is run first, to see how long the rest takes: one document in so many. */
const TIMED_SHARE = 64;
/** So many times as large is a second part, which is run if the first was too short to tell. */
const SECOND_SHARES = 3;
/**
 * Parts for each thread, so that the last ones end at about the same time. With eight a count of
 * 300,000 documents took half as much time again of all cores together.
 */
const PARTS_PER_THREAD = 4;
/** A part's milliseconds at least: much more than it takes to hand it over. */
const PART_MS_MIN = 1;
/** … and at most: a thread that helps does nothing else before the part's end (`take-parts.ts`). */
const PART_MS_MAX = 5;

/**
 * Values of a plan up to which it is divided. Each costs a microsecond in one step, three times:
 * the plan is cloned to the main thread and from there to others. That of a filter of 60,000 parts
 * has 360,000 and kept the main thread for 160 ms.
 */
const COPIED_VALUES_MAX = 20_000;

/**
 * Runs a plan in parts; undefined if it has to be run as a whole, as where nobody would help, or
 * bytes are missing: then all of them are asked for together.
 */
export function* findDivided(
  plan: Plan,
  input: Pick<PlanInput, "snapshot" | "options">,
): Steps<PartOutcome | undefined> {
  const { snapshot, options } = input;
  const { division, kernels, enter, memory } = options;
  if (division === undefined || division.helperCount === 0) return undefined;
  if (isLarge(plan)) return undefined;
  const grain = grainOf(plan, snapshot);
  if (grain === "snapshot") return undefined;
  const { documentsMin, rangeDocuments } = division.limits ?? DIVISION_LIMITS;
  const pool = new RangePool(snapshot, grain === "ordinals" ? rangeDocuments : undefined);
  if (pool.documentCount < documentsMin) return undefined;
  // Without progress: the scan of a part is not taken up again.
  const bytesBefore = memory?.bytes ?? 0;
  const run = (part: PlanPart) =>
    runPart(plan, part, { snapshot, options: { kernels, enter, memory } });
  try {
    const outcomes = yield* runTimed(plan, snapshot, { pool, division, run });
    const work = newWorkStats();
    for (const outcome of outcomes) addWorkStats(work, outcome.work);
    const found = outcomes.map(({ findings }) => findings);
    return { findings: yield* mergeFindings(plan, found, { snapshot, options, work }), work };
  } catch (error) {
    if (!(error instanceof BytesMissing)) throw error;
    memory?.giveBackTo(bytesBefore);
    return undefined;
  }
}

/** Returns true if a plan has more values than are copied to other threads. */
function isLarge(plan: Plan): boolean {
  const waiting: unknown[] = [plan];
  let count = 0;
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue;
    const members =
      value instanceof Map || value instanceof Set ? [...value].flat() : Object.values(value);
    count += members.length;
    if (count > COPIED_VALUES_MAX) return true;
    for (const member of members) if (member !== undefined) waiting.push(member);
  }
  return false;
}

interface TimedRun {
  readonly pool: RangePool;
  readonly division: Division;
  readonly run: (part: PlanPart) => Steps<PartOutcome>;
}

/** A part that was run and timed. */
interface TimedPart {
  readonly outcome: PartOutcome;
  readonly documents: number;
  readonly ms: number;
}

/** Runs a first part, or up to three, and divides the rest if it takes long. */
function* runTimed(plan: Plan, snapshot: Snapshot, timed: TimedRun): Steps<PartOutcome[]> {
  const { pool, division, run } = timed;
  const { restMsMin } = division.limits ?? DIVISION_LIMITS;
  const share = pool.documentCount / TIMED_SHARE;
  const isLong = ({ ms, documents }: TimedPart) =>
    (ms / documents) * pool.documentCount >= restMsMin;
  const parts = [yield* runPartOf(share, timed)];
  let last = parts[0];
  pool.largestFirst();
  // The first part may have found what all others need, such as the strings that pass a pattern.
  if (pool.isByOrdinals && last.ms >= PART_MS_MIN && isLong(last)) {
    last = yield* runPartOf(share, timed);
    parts.push(last);
  }
  let documentMs = last.ms / last.documents;
  if (last.ms < PART_MS_MIN && isLong(last)) {
    const second = yield* runPartOf(SECOND_SHARES * share, timed);
    parts.push(second);
    documentMs = marginalMs(last, second);
  }
  const outcomes = parts.map(({ outcome }) => outcome);
  const restMs = documentMs * pool.documentCount;
  if (pool.documentCount === 0) return outcomes;
  if (restMs < restMsMin) return [...outcomes, yield* run(pool.takeRest())];
  const shareMs = restMs / (PARTS_PER_THREAD * (division.helperCount + 1));
  const partMs = Math.min(Math.max(shareMs, PART_MS_MIN), PART_MS_MAX);
  const rest: PlanPart[] = [];
  while (pool.documentCount > 0) rest.push(pool.take(partMs / documentMs));
  return [...outcomes, ...(yield* division.runParts({ plan, snapshot, parts: rest }, run))];
}

function* runPartOf(documents: number, { pool, division, run }: TimedRun): Steps<TimedPart> {
  const before = pool.documentCount;
  const startMs = division.workedMs();
  const outcome = yield* run(pool.take(documents));
  const ms = division.workedMs() - startMs;
  return { outcome, documents: before - pool.documentCount, ms };
}

/**
 * What one more document costs, without what each part costs whatever it holds, such as to find
 * the matches of a whole segment in sorted values. At least half of the mean: the first part may
 * have taken long because it was the first.
 */
function marginalMs(first: TimedPart, second: TimedPart): number {
  const more = Math.max(1, second.documents - first.documents);
  return Math.max((second.ms - first.ms) / more, second.ms / second.documents / 2);
}

/** What parts may be made of; of the whole snapshot if the plan is never divided. */
function grainOf(plan: Plan, snapshot: Snapshot): Grain {
  const { predicate } = plan;
  return coarsest([
    OPERATORS.predicate(predicate).grain(predicate, OPERATORS),
    OPERATORS.plan(plan).grain(plan, snapshot, OPERATORS),
  ]);
}

/** Documents of a snapshot that no part has yet. */
class RangePool {
  readonly #rangeDocuments: number | undefined;
  /** Taken from the front. */
  readonly #ranges: SegmentRange[];
  #documentCount = 0;

  /** Ranges are multiples of `rangeDocuments`, or whole segments if that is undefined. */
  constructor({ segments }: Snapshot, rangeDocuments: number | undefined) {
    this.#rangeDocuments = rangeDocuments;
    this.#ranges = segments.map(({ view }, segment) => {
      return { segment, start: 0, end: view.documentCount };
    });
    for (const range of this.#ranges) this.#documentCount += sizeOf(range);
    // What is timed is a small segment, or a part of a large one.
    if (rangeDocuments === undefined) this.#ranges.sort((a, b) => sizeOf(a) - sizeOf(b));
    else this.largestFirst();
  }

  /** Whether a part may have some of a segment. */
  get isByOrdinals(): boolean {
    return this.#rangeDocuments !== undefined;
  }

  /** Deleted ones are counted, since loops over columns meet them, too. */
  get documentCount(): number {
    return this.#documentCount;
  }

  /** Large parts that are begun last would keep one thread while the others idle. */
  largestFirst(): void {
    this.#ranges.sort((a, b) => sizeOf(b) - sizeOf(a));
  }

  /**
   * Takes so many documents, half as many or half as many again, or what is left: each range of a
   * segment costs bitmaps of the whole segment, so it is cut where a segment ends if that is near.
   */
  take(documents: number): PlanPart {
    const part: SegmentRange[] = [];
    const wanted = Math.min(Math.max(documents, 1), this.#documentCount);
    for (let missing = wanted; missing > wanted / 2 && this.#ranges.length > 0; ) {
      const range = this.#cut(this.#ranges[0], missing);
      part.push(range);
      missing -= sizeOf(range);
      this.#documentCount -= sizeOf(range);
    }
    return part;
  }

  /** Takes all that is left. */
  takeRest(): PlanPart {
    this.#documentCount = 0;
    return this.#ranges.splice(0);
  }

  /** Takes the front of the first range. */
  #cut(first: SegmentRange, documents: number): SegmentRange {
    const step = this.#rangeDocuments ?? sizeOf(first);
    const cut = first.start + Math.ceil(documents / step) * step;
    const end = cut + documents / 2 < first.end ? cut : first.end;
    if (end === first.end) this.#ranges.shift();
    else this.#ranges[0] = { ...first, start: end };
    return { ...first, end };
  }
}

function sizeOf({ start, end }: SegmentRange): number {
  return end - start;
}
