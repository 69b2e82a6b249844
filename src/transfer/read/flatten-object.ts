/** Nested objects as objects of one level: `{"a": {"b": 1}}` becomes `{"a.b": 1}`. */

import { scanObject } from "../../wire/json/scan-object.ts";
import { decodeText, InvalidText } from "./decode-text.ts";
import type { ReadPosition, RowReader, SourceColumn, SourceRow } from "./source-row.ts";

const OBJECT_START = 0x7b;
const ARRAY_START = 0x5b;

/**
 * The JSON of a flat object, or what is wrong. Arrays that have objects become their JSON as a
 * text; all other values stay as they are written. Objects of members that are kept, by their names
 * with dots, stay objects. `scanObject` bounds the nesting.
 */
export function flattenObject(
  text: Uint8Array,
  isKept: (name: string) => boolean,
): Uint8Array | string {
  // Names and values are decoded here, which would replace what is no UTF-8.
  if (decodeText(text) instanceof InvalidText) return "the row must be UTF-8";
  const members = new Map<string, string>();
  const fault = addMembers(members, text, { prefix: "", isKept });
  if (fault !== undefined) return fault;
  const flat = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return Buffer.from(`{${flat.join()}}`);
}

function addMembers(
  members: Map<string, string>,
  text: Uint8Array,
  within: { readonly prefix: string; readonly isKept: (name: string) => boolean },
): string | undefined {
  const found = scanObject(text);
  if (typeof found === "string") return found;
  for (const { name: own, start, end } of found) {
    const name = within.prefix + own;
    const value = text.subarray(start, end);
    if (value[0] === OBJECT_START && !within.isKept(name)) {
      const fault = addMembers(members, value, { ...within, prefix: `${name}.` });
      if (fault !== undefined) return fault;
      continue;
    }
    if (members.has(name)) return `two values are named ${JSON.stringify(name)} without nesting`;
    const json = Buffer.from(value).toString();
    const hasObjects = value[0] === ARRAY_START && value.includes(OBJECT_START);
    members.set(name, hasObjects && isArrayOfObjects(json) ? JSON.stringify(json) : json);
  }
  return undefined;
}

/** A brace may stand in a text of the array, too. */
function isArrayOfObjects(json: string): boolean {
  try {
    const values = JSON.parse(json) as readonly unknown[];
    return values.some((value) => typeof value === "object" && value !== null);
  } catch {
    return false;
  }
}

/** Rows of another reader with their objects flattened. */
export class FlatObjects implements RowReader {
  readonly #rows: RowReader;
  readonly #isKept: (name: string) => boolean;

  /** `isKept` returns true for members that stay objects, such as sparse vectors. */
  constructor(rows: RowReader, isKept: (name: string) => boolean) {
    this.#rows = rows;
    this.#isKept = isKept;
  }

  columns(): Promise<readonly SourceColumn[] | undefined> {
    return this.#rows.columns();
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    for await (const rows of this.#rows.rows(from)) yield rows.map((row) => this.#flat(row));
  }

  #flat(row: SourceRow): SourceRow {
    if (row.content.kind !== "json") return row;
    const { text } = row.content;
    const flat = flattenObject(text, this.#isKept);
    if (typeof flat !== "string") return { ...row, content: { kind: "json", text: flat } };
    const raw = Buffer.from(text).toString();
    return { ...row, content: { kind: "fault", error: flat, raw } };
  }
}
