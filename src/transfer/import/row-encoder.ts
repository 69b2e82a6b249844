/** Rows of one file as the JSON of documents, by the plan of their import. */

import { type ScannedMember, scanObject } from "../../wire/json/scan-object.ts";
import { DecimalCell } from "../read/decimal-cell.ts";
import { InvalidText } from "../read/decode-text.ts";
import type { RowContent, SourceColumn } from "../read/source-row.ts";
import {
  checkJsonDigits,
  encodeCell,
  encodeId,
  encodeText,
  LOSSY_CHARS_MIN,
  shown,
  ValueFault,
} from "./encode-value.ts";
import type { ImportPlan, PlannedColumn } from "./import-plan.ts";

const QUOTE = 0x22;
const COMMA = Buffer.from(",");
const OBJECT_END = Buffer.from("}");

interface CellPlan {
  /** Its member's name and colon; undefined: it is left out, or is the id. */
  readonly key: string | undefined;
  readonly column: PlannedColumn | undefined;
}

/** See the file's head. */
export class RowEncoder {
  readonly #plan: ImportPlan;
  readonly #bySource: ReadonlyMap<string, PlannedColumn>;
  readonly #cells: readonly CellPlan[];
  readonly #names: readonly string[];
  readonly #idIndex: number;
  /** Objects need no change. */
  readonly #keepsObjects: boolean;

  /** `columns` are the file's, undefined where its rows are objects. */
  constructor(plan: ImportPlan, columns: readonly SourceColumn[] | undefined) {
    this.#plan = plan;
    this.#bySource = new Map(plan.columns.map((column) => [column.source, column]));
    this.#names = (columns ?? []).map(({ name }) => name);
    this.#idIndex = plan.idSource === undefined ? -1 : this.#names.indexOf(plan.idSource);
    this.#cells = this.#names.map((name) => {
      const column = this.#bySource.get(name);
      const attribute = column?.attribute;
      return { key: attribute === undefined ? undefined : `${JSON.stringify(attribute)}:`, column };
    });
    this.#keepsObjects =
      plan.idSource === "id" && plan.columns.every(({ source, attribute }) => source === attribute);
  }

  /** The document of a row, or why there is none. `rowNumber` is its id where the plan says so. */
  encode(content: RowContent, rowNumber: number): Uint8Array | string {
    try {
      switch (content.kind) {
        case "json":
          return this.#encodeObject(content.text, rowNumber);
        case "texts":
          return this.#encodeTable(content.texts, rowNumber, (i) =>
            encodeText(content.texts[i], this.#cells[i].column),
          );
        case "values":
          return this.#encodeTable(content.values, rowNumber, (i) =>
            encodeCell(content.values[i], this.#cells[i].column),
          );
        default:
          return content.error;
      }
    } catch (error) {
      if (error instanceof ValueFault) return error.message;
      throw error;
    }
  }

  /** The row as it was found, as JSON: for the list of what was rejected. */
  raw(content: RowContent): string {
    switch (content.kind) {
      case "json":
        return jsonOrText(Buffer.from(content.text).toString());
      case "texts":
        return this.#rawTable((i) => JSON.stringify(content.texts[i] ?? null));
      case "values":
        return this.#rawTable((i) => rawCell(content.values[i]));
      default:
        return jsonOrText(content.raw);
    }
  }

  #encodeObject(text: Uint8Array, rowNumber: number): Uint8Array | string {
    const members = scanObject(text);
    if (typeof members === "string") return members;
    const { idSource, idType } = this.#plan;
    let id: ScannedMember | undefined;
    if (idSource !== undefined) {
      id = members.find(({ name }) => name === idSource);
      if (id === undefined)
        return `the id is missing: there is no member ${JSON.stringify(idSource)}`;
    }
    this.#checkNumbers(text, members);
    const isBareId = idType === "string" && id !== undefined && text[id.start] !== QUOTE;
    if (this.#keepsObjects && !isBareId) return text;
    const idText = id === undefined ? String(rowNumber) : textOf(text, id);
    if (idText === "null") return "the id is null";
    return this.#rewritten(text, members, isBareId ? JSON.stringify(idText) : idText);
  }

  /** Numbers go to the server as they are written: what it would round is refused here. */
  #checkNumbers(text: Uint8Array, members: readonly ScannedMember[]): void {
    for (const member of members) {
      // Few members are as long as this, so that most cost no more than a comparison.
      if (member.end - member.start < LOSSY_CHARS_MIN || member.name === this.#plan.idSource)
        continue;
      const column = this.#bySource.get(member.name);
      const isLeftOut = column !== undefined && column.attribute === undefined;
      if (isLeftOut || column?.rounds === true) continue;
      try {
        checkJsonDigits(text.subarray(member.start, member.end), column?.type);
      } catch (error) {
        throw namedFault(error, member.name);
      }
    }
  }

  #rewritten(text: Uint8Array, members: readonly ScannedMember[], id: string): Uint8Array {
    const pieces: Uint8Array[] = [Buffer.from(`{"id":${id}`)];
    for (const member of members) {
      if (member.name === this.#plan.idSource) continue;
      const column = this.#bySource.get(member.name);
      if (column !== undefined && column.attribute === undefined) continue;
      const attribute = column?.attribute ?? member.name;
      pieces.push(COMMA, Buffer.from(`${JSON.stringify(attribute)}:`));
      pieces.push(text.subarray(member.start, member.end));
    }
    pieces.push(OBJECT_END);
    return Buffer.concat(pieces);
  }

  #encodeTable(
    values: readonly (RowContent & { kind: "values" })["values"][number][],
    rowNumber: number,
    encode: (index: number) => string | undefined,
  ): Uint8Array {
    const { idSource, idType } = this.#plan;
    const id =
      idSource === undefined
        ? String(rowNumber)
        : encodeTableId(values[this.#idIndex], idType === "uint", idType === "string");
    let text = `{"id":${id}`;
    for (const [i, { key }] of this.#cells.entries()) {
      if (key === undefined) continue;
      const value = this.#named(i, encode);
      if (value !== undefined) text += `,${key}${value}`;
    }
    return Buffer.from(`${text}}`);
  }

  #named(index: number, encode: (index: number) => string | undefined): string | undefined {
    try {
      return encode(index);
    } catch (error) {
      throw namedFault(error, this.#names[index]);
    }
  }

  #rawTable(value: (index: number) => string): string {
    const members = this.#names.map((name, i) => `${JSON.stringify(name)}:${value(i)}`);
    return `{${members.join()}}`;
  }
}

/** Texts of a table that are integers are ids of numbers where ids are numbers. */
function encodeTableId(
  value: Parameters<typeof encodeId>[0],
  isUint: boolean,
  isString: boolean,
): string {
  if (isUint && typeof value === "string" && value !== "") {
    const digits = /^0*(\d+)$/.exec(value.trim());
    if (digits === null) throw new ValueFault(`the id ${shown(value)} is no integer from 0 on`);
    return digits[1];
  }
  return encodeId(value, isString);
}

function namedFault(error: unknown, name: string): unknown {
  return error instanceof ValueFault ? new ValueFault(`${name}: ${error.message}`) : error;
}

function textOf(text: Uint8Array, { start, end }: ScannedMember): string {
  return Buffer.from(text.buffer, text.byteOffset + start, end - start).toString();
}

function jsonOrText(text: string): string {
  try {
    JSON.parse(text);
    return text.replaceAll(/\r?\n/g, " ");
  } catch {
    return JSON.stringify(text);
  }
}

/** JSON that has what JSON cannot say as text. */
function rawCell(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (typeof value !== "object") return JSON.stringify(value);
  if (value instanceof DecimalCell) return value.text;
  if (value instanceof InvalidText) {
    return `{"base64":"${Buffer.from(value.bytes).toString("base64")}"}`;
  }
  return `[${Array.from(value as ArrayLike<unknown>, rawCell).join()}]`;
}
