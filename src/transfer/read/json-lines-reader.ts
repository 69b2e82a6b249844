/** JSON Lines: one JSON object in each line. */

import { MIB } from "../../base/byte-sizes.ts";
import { withoutMark, withoutSpace } from "../../base/json-bytes.ts";
import type { ByteSource } from "./byte-source.ts";
import {
  FileFault,
  type ReadPosition,
  type RowReader,
  type SourceColumn,
  type SourceRow,
} from "./source-row.ts";

/** Longest line; a document has at most 64 MiB, and JSON may spell it longer. */
export const LINE_BYTES_MAX = 128 * MIB;

const LINE_FEED = 0x0a;

/** See the file's head. Empty lines are passed over; `\r\n` ends a line as `\n` does. */
export class JsonLinesReader implements RowReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async columns(): Promise<readonly SourceColumn[] | undefined> {
    return undefined;
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    let position = from;
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    for await (const chunk of this.#source.open(from.offset)) {
      if (!chunk.includes(LINE_FEED)) {
        held.push(chunk);
        heldBytes += chunk.length;
        if (heldBytes > LINE_BYTES_MAX) throw tooLong(this.#source.name, position.line);
        continue;
      }
      const bytes = held.length === 0 ? chunk : Buffer.concat([...held, chunk]);
      const rows: SourceRow[] = [];
      let start = 0;
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
        position = takeLine(rows, position, bytes.subarray(start, end + 1));
        start = end + 1;
      }
      held = start < bytes.length ? [bytes.subarray(start)] : [];
      heldBytes = bytes.length - start;
      if (rows.length > 0) yield rows;
    }
    const rows: SourceRow[] = [];
    if (heldBytes > 0) takeLine(rows, position, Buffer.concat(held));
    if (rows.length > 0) yield rows;
  }
}

/** Adds the row of a line, which has its line feed if it is not the last; returns what follows. */
function takeLine(rows: SourceRow[], at: ReadPosition, bytes: Uint8Array): ReadPosition {
  const offset = at.offset + bytes.length;
  const line = at.line + 1;
  const text = withoutSpace(at.offset === 0 ? withoutMark(bytes) : bytes);
  if (text.length === 0) return { rows: at.rows, line, offset };
  const next = { rows: at.rows + 1, line, offset };
  rows.push({ line: at.line, next, content: { kind: "json", text } });
  return next;
}

function tooLong(name: string, line: number): FileFault {
  return new FileFault(
    `${name}:${line}: a line has at most ${LINE_BYTES_MAX} bytes; ` +
      "is this JSON Lines, one object in each line? --format names the format",
  );
}
