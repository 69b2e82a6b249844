import { ATTRIBUTE_COUNT_MAX } from "../../model/contract-limits.ts";
import type { LooseColumn, LooseDocuments } from "../../model/write-request.ts";
import type { JsonReader } from "../json/json-reader.ts";
import {
  checkCellCount,
  checkDocumentCount,
  PARSE_STEP_BYTES,
  tooManyAttributes,
} from "./body-bounds.ts";
import { LooseColumnBuilder, type ValueForm } from "./loose-column-builder.ts";
import { LooseValueReader } from "./loose-value-reader.ts";

/** Says how the values of an attribute are best read. */
export type FormOf = (attribute: string) => ValueForm;

/** What else ids are called. */
const OTHER_ID_NAMES = ["_id", "Id", "ID", "uuid", "key"];

/** Reads `upsert_rows` or `patch_rows`: an array of documents, some at a time. */
export class LooseRowsParser {
  readonly #reader: JsonReader;
  readonly #formOf: FormOf;
  readonly #marksGiven: boolean;
  readonly #values: LooseValueReader;
  readonly #ids = new LooseColumnBuilder("id", "any");
  readonly #columns = new Map<string, LooseColumnBuilder>();
  /** Columns in the order in which the documents so far first named them. */
  readonly #order: LooseColumnBuilder[] = [];
  #count = 0;

  /** `marksGiven`: whether the columns say which documents name the attribute, for patches. */
  constructor(reader: JsonReader, formOf: FormOf, marksGiven: boolean) {
    this.#reader = reader;
    this.#formOf = formOf;
    this.#marksGiven = marksGiven;
    this.#values = new LooseValueReader(reader);
  }

  /** Reads some documents of the array, whose `[` has been read; true once its end was read. */
  step(): boolean {
    const reader = this.#reader;
    const stepEnd = reader.offset + PARSE_STEP_BYTES;
    this.#values.rewind();
    let document = this.#count;
    let isEnd = false;
    while (reader.offset < stepEnd) {
      isEnd = !reader.nextElement();
      if (isEnd) break;
      this.#readDocument(document++);
    }
    this.#values.keep();
    checkDocumentCount(document);
    this.#count = document;
    return isEnd;
  }

  /** All documents. */
  finish(): LooseDocuments {
    const attributes = new Map<string, LooseColumn>();
    for (const [name, column] of this.#columns) attributes.set(name, column.finish(this.#count));
    return { count: this.#count, layout: "rows", ids: this.#ids.finish(this.#count), attributes };
  }

  #readDocument(document: number): void {
    const reader = this.#reader;
    reader.beginObject("a map with `id` and attributes");
    let hasId = false;
    let position = 0;
    for (;;) {
      const name = reader.nextAttributeName();
      if (name === undefined) break;
      if (name === "id") {
        this.#values.readId(this.#ids, document, "Id");
        hasId = true;
        continue;
      }
      // Documents mostly name their attributes in the same order.
      const likely = this.#order[position++];
      const column = likely?.name === name ? likely : this.#columnOf(name);
      this.#values.readValue(column, document);
    }
    if (!hasId) {
      const other = OTHER_ID_NAMES.find((name) => this.#columns.has(name));
      const hint = other && `"${other}" is an attribute like any other: the id's name is "id"`;
      throw reader.refuse("missing field `id`", hint);
    }
    checkCellCount(this.#columns.size * document);
  }

  #columnOf(name: string): LooseColumnBuilder {
    const known = this.#columns.get(name);
    if (known) return known;
    if (this.#columns.size === ATTRIBUTE_COUNT_MAX) throw tooManyAttributes();
    const column = new LooseColumnBuilder(name, this.#formOf(name), this.#marksGiven);
    this.#columns.set(name, column);
    this.#order.push(column);
    return column;
  }
}
