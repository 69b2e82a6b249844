import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { ATTRIBUTE_COUNT_MAX, WRITE_BODY_BYTES_MAX } from "../../model/contract-limits.ts";
import type { LooseColumn, LooseDocuments } from "../../model/write-request.ts";
import { base64FloatCount, decodeBase64Floats } from "../json/base64.ts";
import { Float32Builder } from "../json/json-numbers.ts";
import type { JsonReader } from "../json/json-reader.ts";
import {
  checkCellCount,
  checkDocumentCount,
  PARSE_STEP_BYTES,
  tooManyAttributes,
} from "./body-bounds.ts";
import { type BuiltMemory, CELL_BYTES } from "./built-bytes.ts";
import { LooseColumnBuilder, vectorColumn } from "./loose-column-builder.ts";
import type { FormOf } from "./loose-rows-parser.ts";
import { LooseValueReader } from "./loose-value-reader.ts";

/** What is being read inside the object of columns. */
type Position =
  | { readonly kind: "between" }
  /** A vector column that was written as one string comes next. */
  | { readonly kind: "base64"; readonly name: string }
  /** The string is read, and decoded up to `next`. */
  | {
      readonly kind: "decoded";
      readonly name: string;
      readonly text: string;
      readonly numbers: Float32Array;
      next: number;
    }
  /** Elements of `column`, of which `count` are read. */
  | { readonly kind: "elements"; readonly column: LooseColumnBuilder; count: number }
  /** Numbers of a vector column that was written as one array, of which `count` are read. */
  | {
      readonly kind: "flat";
      readonly name: string;
      readonly numbers: Float32Builder;
      count: number;
    };

/** Characters of base64 that one step decodes, some in a nanosecond; a multiple of sixteen. */
const DECODED_CHARS = 65_536;
/** Numbers of a flat array that one step reads. */
const STEP_NUMBERS = 256;

/**
 * Reads `upsert_columns` or `patch_columns`: an object of one array per attribute, some elements at
 * a time. A column of vectors may also be one array of all their elements end to end, or the base64
 * of that.
 */
export class LooseColumnsParser {
  readonly #reader: JsonReader;
  /** `upsert_columns` or `patch_columns`, for messages. */
  readonly #path: string;
  readonly #formOf: FormOf;
  readonly #memory: Pick<BuiltMemory, "vectors">;
  readonly #values: LooseValueReader;
  readonly #columns = new Map<string, LooseColumnBuilder>();
  readonly #flat = new Map<string, Float32Array>();
  /** Values of the columns that were read to their ends. */
  #cells = 0;
  #position: Position = { kind: "between" };

  constructor(
    reader: JsonReader,
    path: string,
    { formOf, memory }: { formOf: FormOf; memory: Pick<BuiltMemory, "vectors"> },
  ) {
    this.#memory = memory;
    this.#reader = reader;
    this.#path = path;
    this.#formOf = formOf;
    this.#values = new LooseValueReader(reader);
  }

  /** Reads on in the object, whose `{` has been read; true once its end was read. */
  step(): boolean {
    const reader = this.#reader;
    const position = this.#position;
    switch (position.kind) {
      case "between":
        return this.#beginColumn();
      case "elements":
        this.#readElements(position);
        return false;
      case "base64":
        this.#position = this.#beginDecoding(position.name, reader.readString());
        return false;
      case "decoded":
        this.#decode(position);
        return false;
      case "flat":
        this.#readFlat(position);
        return false;
    }
  }

  /** What the documents so far take of the heap; see `built-bytes.ts`. */
  get builtBytes(): number {
    const position = this.#position;
    const count = position.kind === "elements" ? position.count : 0;
    return (this.#cells + count) * CELL_BYTES + this.#values.builtBytes;
  }

  /** All vectors of a body may be one string. */
  get stepBytesMax(): number | undefined {
    return this.#position.kind === "base64" ? WRITE_BODY_BYTES_MAX : undefined;
  }

  /** All documents; throws if the columns do not fit together. */
  *finish(): Steps<LooseDocuments> {
    const ids = this.#columns.get("id");
    if (ids === undefined) {
      if (this.#columns.size + this.#flat.size > 0) {
        throw invalid(`💔 ${this.#path}: missing column \`id\``);
      }
      return { count: 0, layout: "columns", ids: emptyColumn(), attributes: new Map() };
    }
    const { count } = ids;
    const attributes = new Map<string, LooseColumn>();
    for (const [name, column] of this.#columns) {
      if (column.count !== count) throw this.#unequal(name, column.count, count);
      if (name !== "id") attributes.set(name, yield* column.finish(count));
      yield;
    }
    for (const [name, numbers] of this.#flat)
      attributes.set(name, this.#split(name, numbers, count));
    return { count, layout: "columns", ids: yield* ids.finish(count), attributes };
  }

  #beginColumn(): boolean {
    const reader = this.#reader;
    const name = reader.nextAttributeName();
    if (name === undefined) return true;
    if (this.#columns.size + this.#flat.size > ATTRIBUTE_COUNT_MAX) throw tooManyAttributes();
    const form = name === "id" ? "any" : this.#formOf(name);
    const kind = reader.peekKind();
    if (form === "vector" && kind === "string") {
      this.#position = { kind: "base64", name };
      return false;
    }
    if (name === "id" && kind !== "array") {
      reader.skipValue();
      throw reader.refuse(
        "data did not match any variant of untagged enum IdVec",
        "give the ids in an array, or send documents as " +
          `\`${this.#path.replace("columns", "rows")}\``,
      );
    }
    const isFlat = form === "vector" && kind === "array" && reader.peekElementKind() === "number";
    reader.beginArray();
    if (isFlat) {
      this.#position = { kind: "flat", name, numbers: new Float32Builder(), count: 0 };
      return false;
    }
    const expected = this.#columns.get("id")?.count ?? 0;
    const take = (length: number) => this.#memory.vectors(length);
    const column = new LooseColumnBuilder(name, form, { room: { expected, take } });
    this.#columns.set(name, column);
    this.#position = { kind: "elements", column, count: 0 };
    return false;
  }

  #readElements(position: Position & { kind: "elements" }): void {
    const reader = this.#reader;
    const { column } = position;
    const stepEnd = reader.offset + PARSE_STEP_BYTES;
    this.#values.rewind();
    let { count } = position;
    let isEnd = false;
    if (this.#values.isOpen) this.#values.goOn();
    while (!this.#values.isOpen && reader.offset < stepEnd) {
      isEnd = !reader.nextElement();
      if (isEnd) break;
      if (column.name === "id") this.#values.readId(column, count, "IdVec");
      else this.#values.readValue(column, count);
      count++;
    }
    this.#values.keep();
    checkDocumentCount(count);
    checkCellCount(this.#cells + count);
    position.count = count;
    if (isEnd) this.#cells += count;
    if (isEnd) this.#position = { kind: "between" };
  }

  #readFlat(position: Position & { kind: "flat" }): void {
    const reader = this.#reader;
    const { numbers } = position;
    numbers.truncate(position.count);
    for (let i = 0; i < STEP_NUMBERS; i++) {
      if (!reader.nextElement()) {
        this.#flat.set(position.name, numbers.view());
        this.#position = { kind: "between" };
        return;
      }
      numbers.push(reader.readNumber());
    }
    position.count = numbers.length;
  }

  #beginDecoding(name: string, text: string): Position {
    const count = base64FloatCount(text);
    if (typeof count === "string") throw invalid(`💔 ${this.#reader.path()}: ${count}`);
    return { kind: "decoded", name, text, numbers: new Float32Array(count), next: 0 };
  }

  #decode(position: Position & { kind: "decoded" }): void {
    const { name, text, numbers, next } = position;
    const end = Math.min(text.length, next + DECODED_CHARS);
    // Sixteen characters are three numbers.
    const first = (next / 16) * 3;
    const last = end === text.length ? numbers.length : (end / 16) * 3;
    if (!decodeBase64Floats(text.slice(next, end), numbers.subarray(first, last))) {
      throw invalid(`💔 ${this.#reader.path()}: invalid base64`);
    }
    position.next = end;
    if (end < text.length) return;
    this.#flat.set(name, numbers);
    this.#position = { kind: "between" };
  }

  #split(name: string, numbers: Float32Array, count: number): LooseColumn {
    const dimensions = count === 0 ? 0 : numbers.length / count;
    if (!Number.isInteger(dimensions) || (count === 0 && numbers.length > 0)) {
      throw invalid(
        `💔 ${this.#path}.${name}: ${numbers.length} numbers are no whole number of dimensions ` +
          `for ${count} documents`,
      );
    }
    if (dimensions > 0) return vectorColumn(numbers, dimensions, { integersOnly: true });
    return { values: Array(count).fill(numbers), integersOnly: true };
  }

  #unequal(name: string, got: number, expected: number): DatabaseError {
    return invalid(
      `💔 ${this.#path}: all columns must have the same length, but \`id\` has ${expected} ` +
        `values and \`${name}\` has ${got}`,
    );
  }
}

function emptyColumn(): LooseColumn {
  return { values: [], integersOnly: true };
}
