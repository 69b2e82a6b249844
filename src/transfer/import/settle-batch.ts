/**
 * Sends the documents of one batch so that only those that the server does not take are left: it
 * names the row in the path of its error, or the batch is halved until the row is alone.
 */

import type { BatchRow } from "./row-batches.ts";

/** What the server said to some documents: nothing if it took them, or why it refused them all. */
export type SendRows = (documents: readonly Uint8Array[]) => Promise<string | undefined>;

/** A row that is not imported. */
export interface RejectedRow {
  readonly row: BatchRow;
  readonly error: string;
}

/** What became of a batch. */
export interface SettledBatch {
  /** Rows that the server has. */
  readonly accepted: number;
  /** In the order of the rows. */
  readonly rejected: readonly RejectedRow[];
  /**
   * The error because of which the rest was not sent: the server is unreachable or takes no writes.
   */
  readonly failure?: unknown;
}

/** Characters of a reason: some quote what they refuse. */
const REASON_CHARS_MAX = 500;

interface IndexedRow {
  readonly index: number;
  readonly document: Uint8Array;
}

/**
 * See the file's head. Where more than `rejectedMax` rows are rejected, the first ones are: nothing
 * is sent of what comes behind the row that is one too many.
 */
export async function settleBatch(
  rows: readonly BatchRow[],
  send: SendRows,
  rejectedMax = Number.POSITIVE_INFINITY,
): Promise<SettledBatch> {
  const errors = new Map<number, string>();
  const documents: IndexedRow[] = [];
  for (const [index, { document }] of rows.entries()) {
    if (typeof document === "string") errors.set(index, document);
    else documents.push({ index, document });
  }
  let accepted = 0;
  // The first refusal of a row costs one more request; more of them are looked for by halves.
  let isWhole = true;
  let waiting = [documents];
  for (;;) {
    // A server names bad JSON before a bad value: what comes before is still looked through.
    waiting = before(excessIndex(errors, rejectedMax), waiting);
    const part = waiting.shift();
    if (part === undefined) break;
    const outcome = await sendPart(part, send);
    if ("failure" in outcome) return { accepted, rejected: [], failure: outcome.failure };
    const { error } = outcome;
    if (error === undefined) {
      accepted += part.length;
      continue;
    }
    const named = part.length === 1 ? 0 : namedRow(error, part.length);
    if (named !== undefined) errors.set(part[named].index, withoutRowPath(error));
    const rest = named === undefined ? part : part.toSpliced(named, 1);
    waiting.unshift(...(named !== undefined && isWhole ? [rest] : halves(rest)));
    isWhole = false;
  }
  const rejected = [...errors].sort(([a], [b]) => a - b);
  return { accepted, rejected: rejected.map(([index, error]) => ({ row: rows[index], error })) };
}

async function sendPart(
  part: readonly IndexedRow[],
  send: SendRows,
): Promise<{ readonly error: string | undefined } | { readonly failure: unknown }> {
  try {
    return { error: await send(part.map(({ document }) => document)) };
  } catch (failure) {
    return { failure };
  }
}

/** The row that is one too many; rows behind it do not matter any more. */
function excessIndex(errors: ReadonlyMap<number, string>, rejectedMax: number): number {
  if (errors.size <= rejectedMax) return Number.POSITIVE_INFINITY;
  return [...errors.keys()].sort((a, b) => a - b)[rejectedMax];
}

function before(end: number, parts: readonly IndexedRow[][]): IndexedRow[][] {
  return parts.map((part) => part.filter(({ index }) => index < end)).filter(isFilled);
}

function isFilled(part: readonly IndexedRow[]): boolean {
  return part.length > 0;
}

function halves(rows: IndexedRow[]): IndexedRow[][] {
  if (rows.length <= 1) return [rows];
  const middle = rows.length >> 1;
  return [rows.slice(0, middle), rows.slice(middle)];
}

/** The row that an error's path names: `upsert_rows[17].vector`. */
function namedRow(error: string, count: number): number | undefined {
  const index = /upsert_rows\[(\d+)\]/.exec(error)?.[1];
  return index !== undefined && Number(index) < count ? Number(index) : undefined;
}

/** The row has a line, and its place in a request says nothing to anyone. */
function withoutRowPath(error: string): string {
  const reason = error
    .slice(0, 2 * REASON_CHARS_MAX)
    .replaceAll(/upsert_rows\[\d+\]\.?/g, "")
    .replace(/ at line \d+ column \d+/, "");
  return reason.length > REASON_CHARS_MAX ? `${reason.slice(0, REASON_CHARS_MAX)}…` : reason;
}
