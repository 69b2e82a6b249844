/**
 * Which documents a map shows, and by which requests they are read: all of a namespace, or, where
 * it has more than are wanted, as many from each part of its range of ids. The API draws no
 * samples, and the first documents by id are often those that were written first.
 */

import type { DocumentId } from "../../../api/documents.ts";

/** What a plan is made of. */
export interface SampleOptions {
  /** Documents that there are. */
  readonly available: number;
  /** Documents that may be shown. */
  readonly wanted: number;
  /** Documents of one request at most. */
  readonly page: number;
  /** Least and greatest id; absent where the namespace is empty. */
  readonly ends: { readonly first: DocumentId; readonly last: DocumentId } | undefined;
}

/** A part of the ids: from `from` on, and before `before` where that is there. */
export interface IdRange {
  readonly from: DocumentId;
  readonly before: DocumentId | undefined;
}

/** What is read: ranges one after the other, none of which gives more than its share. */
export interface SamplePlan {
  readonly ranges: readonly IdRange[];
  readonly wanted: number;
  readonly page: number;
  /** How the documents are chosen, for people. */
  readonly choice: "all" | "spread" | "first";
}

/** Where reading stands. */
export interface SampleProgress {
  readonly range: number;
  /** The last id that was read of the range. */
  readonly after: DocumentId | undefined;
  /** Documents that were read of the range; of all. */
  readonly readOfRange: number;
  readonly read: number;
}

/** The next request. */
export interface SamplePage {
  readonly filter: readonly unknown[];
  readonly limit: number;
}

/** Ranges of a sample: enough that no run of similar ids stands out, few enough to be read soon. */
const RANGES_MAX = 200;
const UUID_DASHES = [8, 13, 18, 23];

/** Nothing has been read. */
export const SAMPLE_START: SampleProgress = {
  range: 0,
  after: undefined,
  readOfRange: 0,
  read: 0,
};

/** Chooses the ranges. */
export function planSample({ available, wanted, page, ends }: SampleOptions): SamplePlan {
  if (ends === undefined) return { ranges: [], wanted, page, choice: "all" };
  const whole = [{ from: ends.first, before: undefined }];
  if (available <= wanted) return { ranges: whole, wanted, page, choice: "all" };
  const first = numberOfId(ends.first);
  const last = numberOfId(ends.last);
  if (first === undefined || last === undefined) {
    return { ranges: whole, wanted, page, choice: "first" };
  }
  const count = Math.min(RANGES_MAX, wanted);
  const bounds = Array.from({ length: count }, (_, i) =>
    idOfNumber(first + ((last - first) * BigInt(i)) / BigInt(count), ends.first),
  );
  const ranges = bounds.map((from, i) => ({ from, before: bounds[i + 1] }));
  return { ranges, wanted, page, choice: "spread" };
}

/** The next request of a plan; nothing where all ranges are read or enough was. */
export function nextPage(plan: SamplePlan, at: SampleProgress): SamplePage | undefined {
  const range = plan.ranges[at.range];
  if (range === undefined || at.read >= plan.wanted) return undefined;
  const conditions: (readonly unknown[])[] = [
    at.after === undefined ? ["id", "Gte", range.from] : ["id", "Gt", at.after],
  ];
  if (range.before !== undefined) conditions.push(["id", "Lt", range.before]);
  return { filter: ["And", conditions], limit: Math.min(plan.page, shareLeft(plan, at)) };
}

/** Where reading stands once `ids` have come for a page that asked for `limit`. */
export function afterPage(
  plan: SamplePlan,
  at: SampleProgress,
  { ids, limit }: { readonly ids: readonly DocumentId[]; readonly limit: number },
): SampleProgress {
  const read = at.read + ids.length;
  const readOfRange = at.readOfRange + ids.length;
  const next = { ...at, read, readOfRange };
  const isOver = ids.length < limit || shareLeft(plan, next) <= 0;
  if (isOver) return { range: at.range + 1, after: undefined, readOfRange: 0, read };
  return { ...next, after: ids.at(-1) };
}

/** What the range may still give: what is left is shared out over the ranges that are left. */
function shareLeft(plan: SamplePlan, at: SampleProgress): number {
  const readBefore = at.read - at.readOfRange;
  const share = Math.ceil((plan.wanted - readBefore) / (plan.ranges.length - at.range));
  return share - at.readOfRange;
}

/** Integers and UUIDs as numbers in their order; strings have none. */
function numberOfId(id: DocumentId): bigint | undefined {
  if (typeof id !== "string") return BigInt(id);
  const digits = id.replaceAll("-", "");
  const isUuid = UUID_DASHES.every((place) => id[place] === "-") && /^[0-9a-f]{32}$/.test(digits);
  return isUuid ? BigInt(`0x${digits}`) : undefined;
}

function idOfNumber(number: bigint, like: DocumentId): DocumentId {
  if (typeof like !== "string") {
    return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number;
  }
  const digits = number.toString(16).padStart(32, "0");
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, i) => digits.slice(cuts[i], end))
    .join("-");
}
