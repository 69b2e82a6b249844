import type { Steps } from "../../base/steps.ts";
import { ATTRIBUTE_COUNT_MAX } from "../../model/contract-limits.ts";
import type { LooseColumn, LooseDocuments } from "../../model/write-request.ts";
import type { JsonReader } from "../json/json-reader.ts";
import {
  checkCellCount,
  checkDocumentCount,
  PARSE_STEP_BYTES,
  tooManyAttributes,
} from "./body-bounds.ts";
import { type BuiltMemory, CELL_BYTES } from "./built-bytes.ts";
import { LooseColumnBuilder, type ValueForm } from "./loose-column-builder.ts";
import { LooseValueReader } from "./loose-value-reader.ts";

/** Says how the values of an attribute are best read. */
export type FormOf = (attribute: string) => ValueForm;

/** Places in lists that one step fills at least: some nanoseconds each, more where lists grow. */
const STEP_FILLED = 16_384;
/** What else ids are called. */
const OTHER_ID_NAMES = ["_id", "Id", "ID", "uuid", "key"];

/** How far the array is read. */
interface Position {
  /** The document that is being read, or comes next. */
  document: number;
  /** Whether its `{` has been read. */
  isInside: boolean;
  hasId: boolean;
  /** Attributes of it that were read. */
  attribute: number;
}

/** How documents are read. */
export interface RowsOptions {
  /** Whether the columns say which documents name the attribute, for patches. */
  readonly marksGiven: boolean;
  readonly memory: Pick<BuiltMemory, "vectors">;
  /** Hears of each attribute before the documents without it get a place in its list; may throw. */
  readonly grown: () => void;
}

/** Reads `upsert_rows` or `patch_rows`: an array of documents, some attributes at a time. */
export class LooseRowsParser {
  readonly #reader: JsonReader;
  readonly #formOf: FormOf;
  readonly #marksGiven: boolean;
  readonly #memory: Pick<BuiltMemory, "vectors">;
  readonly #grown: () => void;
  readonly #values: LooseValueReader;
  readonly #ids = new LooseColumnBuilder("id", "any");
  readonly #columns = new Map<string, LooseColumnBuilder>();
  /** Columns in the order in which the documents so far first named them. */
  readonly #order: LooseColumnBuilder[] = [];
  /** Places in lists that the step has filled. */
  #filled = 0;
  #position: Position = { document: 0, isInside: false, hasId: false, attribute: 0 };

  constructor(reader: JsonReader, formOf: FormOf, { marksGiven, memory, grown }: RowsOptions) {
    this.#reader = reader;
    this.#formOf = formOf;
    this.#marksGiven = marksGiven;
    this.#memory = memory;
    this.#grown = grown;
    this.#values = new LooseValueReader(reader);
  }

  /** What the documents so far take of the heap; see `built-bytes.ts`. */
  get builtBytes(): number {
    const cells = (this.#columns.size + 1) * (this.#position.document + 1);
    return cells * CELL_BYTES + this.#values.builtBytes;
  }

  /** The last step has filled so many places in lists. */
  get isPauseDue(): boolean {
    return this.#filled >= STEP_FILLED;
  }

  /** Reads some attributes of the array, whose `[` has been read; true once its end was read. */
  step(): boolean {
    const reader = this.#reader;
    const stepEnd = reader.offset + PARSE_STEP_BYTES;
    this.#values.rewind();
    const at = { ...this.#position };
    let isEnd = false;
    if (this.#values.isOpen) this.#values.goOn();
    this.#filled = 0;
    while (!isEnd && !this.#values.isOpen && reader.offset < stepEnd) {
      if (this.isPauseDue) break;
      if (at.isInside) this.#readAttribute(at);
      else isEnd = !this.#beginDocument(at);
    }
    this.#values.keep();
    checkDocumentCount(at.document);
    this.#position = at;
    return isEnd;
  }

  /** All documents. */
  *finish(): Steps<LooseDocuments> {
    const { document: count } = this.#position;
    const attributes = new Map<string, LooseColumn>();
    for (const [name, column] of this.#columns) {
      attributes.set(name, yield* column.finish(count));
      // A list that grows by a few places may be copied for that.
      yield;
    }
    return { count, layout: "rows", ids: yield* this.#ids.finish(count), attributes };
  }

  #beginDocument(at: Position): boolean {
    const reader = this.#reader;
    if (!reader.nextElement()) return false;
    reader.beginObject("a map with `id` and attributes");
    at.isInside = true;
    at.hasId = false;
    at.attribute = 0;
    return true;
  }

  /** Reads one attribute of the document, or its end. */
  #readAttribute(at: Position): void {
    const reader = this.#reader;
    const name = reader.nextAttributeName();
    if (name === undefined) {
      if (!at.hasId) {
        const other = OTHER_ID_NAMES.find((known) => this.#columns.has(known));
        const hint = other && `"${other}" is an attribute like any other: the id's name is "id"`;
        throw reader.refuse("missing field `id`", hint);
      }
      checkCellCount(this.#columns.size * at.document);
      at.isInside = false;
      at.document++;
    } else if (name === "id") {
      this.#values.readId(this.#ids, at.document, "Id");
      at.hasId = true;
    } else {
      // Documents mostly name their attributes in the same order.
      const likely = this.#order[at.attribute++];
      const column = likely?.name === name ? likely : this.#columnOf(name);
      // Documents without the attribute get their places in its list, too.
      this.#filled += at.document + 1 - column.count;
      this.#values.readValue(column, at.document);
    }
  }

  #columnOf(name: string): LooseColumnBuilder {
    const known = this.#columns.get(name);
    if (known) return known;
    if (this.#columns.size === ATTRIBUTE_COUNT_MAX) throw tooManyAttributes();
    const column = new LooseColumnBuilder(name, this.#formOf(name), {
      marksGiven: this.#marksGiven,
      room: { expected: 0, take: (length) => this.#memory.vectors(length) },
    });
    this.#columns.set(name, column);
    this.#order.push(column);
    checkCellCount(this.#columns.size * this.#position.document);
    this.#grown();
    return column;
  }
}
