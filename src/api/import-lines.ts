/** A body of JSON lines as several writes, one after the other, while it arrives. */

import { countedText } from "../base/amount-text.ts";
import { clip } from "../base/bounded-text.ts";
import { clientMessageOf, DatabaseError, invalid, isDatabaseError } from "../base/errors.ts";
import { similarName } from "../base/nearest-name.ts";
import type { Slices } from "../base/slices.ts";
import { type LineBatch, LineBatches, LineFault, lineError } from "../wire/write/line-batches.ts";
import type { BodySource } from "./write-call.ts";

/** What may be said beside the lines, in the query string. */
export const IMPORT_PARAMETERS = ["schema", "distance_metric"];

/** What an import works with. */
export interface ImportLinesOptions {
  readonly slices: Slices;
  /** Commits the body of one write. */
  write(body: Uint8Array): Promise<{ readonly billedBytes: number }>;
}

/** What was committed. */
export interface ImportedLines {
  readonly rows: number;
  readonly batches: number;
  readonly billedBytes: number;
}

/**
 * Commits all lines. A fault is thrown with the line that it is about, and with what was committed
 * before: all lines in front of that which `lines_committed` counts, and none behind.
 */
export async function importLines(
  body: BodySource,
  parameters: Readonly<Record<string, string>>,
  options: ImportLinesOptions,
): Promise<ImportedLines> {
  const batches = new LineBatches(membersOf(parameters));
  const done = { rows: 0, batches: 0, billedBytes: 0, lines: 0 };
  const commit = async (full: readonly LineBatch[]) => {
    for (const { body: bytes, lines } of full) {
      await writeLines(bytes, lines, options, done);
    }
  };
  try {
    for (;;) {
      const chunk = await body.next();
      if (chunk === undefined) break;
      await options.slices.run(batches.push(chunk));
      await commit(batches.takeFull());
    }
    await options.slices.run(batches.end());
    await commit(batches.takeAll());
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    // What stands before the bad line is as good as if it had ended there.
    await commit(batches.takeAll());
    throw withPlace(lineError(error), [error.line], done);
  }
  if (done.rows === 0) throw invalid("💔 there are no lines; send one JSON object in each line");
  const { rows, batches: writes, billedBytes } = done;
  return { rows, batches: writes, billedBytes };
}

/** Bytes that are there as a body that arrives. */
export function bodyOf(bytes: Uint8Array): BodySource {
  let isRead = false;
  return {
    next: async () => {
      if (isRead) return undefined;
      isRead = true;
      return bytes;
    },
  };
}

interface Progress {
  rows: number;
  batches: number;
  billedBytes: number;
  /** The last line that was committed. */
  lines: number;
}

async function writeLines(
  bytes: Uint8Array,
  lines: readonly number[],
  { write }: ImportLinesOptions,
  done: Progress,
): Promise<void> {
  try {
    const { billedBytes } = await write(bytes);
    done.rows += lines.length;
    done.batches++;
    done.billedBytes += billedBytes;
    done.lines = lines[lines.length - 1];
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw withPlace(error, linesOf(error, lines), done);
  }
}

/** The line whose row an error names, or all lines that it may be about. */
function linesOf(error: DatabaseError, lines: readonly number[]): readonly number[] {
  const index = /upsert_rows\[(\d+)\]/.exec(error.message)?.[1];
  const named = index === undefined ? undefined : lines[Number(index)];
  return named === undefined ? lines : [named];
}

function withPlace(error: DatabaseError, lines: readonly number[], done: Progress): DatabaseError {
  const [first] = lines;
  const last = lines[lines.length - 1];
  const where = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  const rows = countedText(done.rows, "row");
  const before =
    done.lines === 0
      ? "nothing was committed"
      : `lines 1 to ${done.lines} were committed (${rows}): go on behind them`;
  const said = error.message
    .replaceAll(/upsert_rows\[\d+\](?:\.|: )?/g, "")
    .replace(/ at line \d+ column \d+/, "");
  const { code, attribute, retryAfterMs } = error;
  const place = `in ${where} of the body; ${before}`;
  const told = clientMessageOf(error);
  return new DatabaseError(code, `${said}; ${place}`, {
    cause: error,
    ...(told !== undefined && { clientMessage: `${told}; ${place}` }),
    ...(attribute !== undefined && { attribute }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    facts: {
      ...(first === last && { line: first }),
      lines_committed: done.lines,
      rows_committed: done.rows,
    },
  });
}

function membersOf(parameters: Readonly<Record<string, string>>): Record<string, unknown> {
  for (const name of Object.keys(parameters)) {
    if (IMPORT_PARAMETERS.includes(name)) continue;
    const near = similarName(name, IMPORT_PARAMETERS);
    const hint =
      near === undefined
        ? `; there are ${IMPORT_PARAMETERS.join(" and ")}`
        : `; did you mean ${near}?`;
    throw invalid(`💔 unknown query parameter ${JSON.stringify(clip(name))}${hint}`);
  }
  const { schema, distance_metric } = parameters;
  return {
    ...(distance_metric !== undefined && { distance_metric }),
    ...(schema !== undefined && { schema: parseSchema(schema) }),
  };
}

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(
      `💔 the query parameter schema is no JSON: ${clip((error as Error).message)}; ` +
        'expected an object, as {"title": "string"}',
    );
  }
}
