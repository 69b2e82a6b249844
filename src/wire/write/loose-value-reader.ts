import { assert } from "../../base/assert.ts";
import { clip } from "../../base/bounded-text.ts";
import { ID_BYTES_MAX } from "../../model/contract-limits.ts";
import { isJsonNumbers, type JsonValue } from "../../model/json-value.ts";
import { base64FloatCount, decodeBase64Floats } from "../json/base64.ts";
import { Float32Slab } from "../json/float32-slab.ts";
import type { JsonDom } from "../json/json-dom.ts";
import type { JsonForm } from "../json/json-form.ts";
import { Float32Builder } from "../json/json-numbers.ts";
import type { JsonReader } from "../json/json-reader.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import {
  ARRAY_PARTS,
  checkValueBytes,
  emptyVector,
  OBJECT_PARTS,
  PARSE_STEP_BYTES,
  VECTOR_NUMBERS,
  VECTOR_PARTS,
  VECTORS_PARTS_MAX,
  vectorsTooLarge,
} from "./body-bounds.ts";
import {
  ARRAY_BYTES,
  CELL_BYTES,
  ELEMENT_BYTES,
  ENTRY_BYTES,
  OBJECT_BYTES,
  STRING_BYTES,
  VIEW_BYTES,
} from "./built-bytes.ts";
import type { LooseColumnBuilder } from "./loose-column-builder.ts";

/** Longer strings are no vectors: more than any dimensions take. */
const BASE64_BYTES_MAX = 1_048_576;
const UINT64_MAX = 2n ** 64n - 1n;
/** An array that begins with a number. */
const NUMBERS_FORM: JsonForm = {
  isList: true,
  elementsMax: ARRAY_PARTS.countMax,
  numbersMax: { count: ARRAY_PARTS.countMax, refuse: (path) => ARRAY_PARTS.refuse(path) },
};

/** An array that is read in several steps, for one document. */
type OpenArray = OpenElements | OpenNumbers;

/** Array that begins with a number. */
interface OpenNumbers {
  readonly kind: "numbers";
  readonly column: LooseColumnBuilder;
  readonly document: number;
  readonly offset: number;
  readonly dom: JsonDom;
  /** The step after the last that reads stores the value: nothing interrupts it. */
  isRead: boolean;
}

/** Array of strings, booleans, nulls or vectors. */
interface OpenElements {
  readonly kind: "elements";
  /** Set for an array of vectors, as of late interaction. */
  readonly vectors?: Float32Array[];
  readonly column: LooseColumnBuilder;
  readonly document: number;
  /** Where it begins in the body. */
  readonly offset: number;
  readonly elements: JsonValue[];
  /** Elements so far, those of arrays in it included. */
  parts: number;
  /** Elements and parts at the end of the last step that was not interrupted. */
  kept: { readonly elements: number; readonly parts: number };
}

/**
 * Reads the values of documents from a body that may still be arriving into columns, without trees
 * of JSON where the value is a scalar or a vector. Each step of a parser starts with `rewind` and
 * ends with `keep`. A value may be left open at the end of a step: then the next one begins with
 * `goOn`.
 */
export class LooseValueReader {
  readonly #reader: JsonReader;
  readonly #slab = new Float32Slab();
  readonly #numbers = new Float32Builder();
  /** Values have no members whose names are not the user's. */
  readonly #unknown = new UnknownMembers();
  #builtBytes = 0;
  #keptBytes = 0;
  #open: OpenArray | undefined;
  /** What was open at the end of the last step that was not interrupted. */
  #keptOpen: OpenArray | undefined;

  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /** Forgets the vectors of a step that was interrupted. */
  rewind(): void {
    this.#slab.rewind();
    this.#builtBytes = this.#keptBytes;
    const open = this.#keptOpen;
    this.#open = open;
    if (open?.kind !== "elements") return;
    (open.vectors ?? open.elements).length = open.kept.elements;
    open.parts = open.kept.parts;
  }

  /** Makes the values that were read so far last. */
  keep(): void {
    this.#slab.keep();
    this.#keptBytes = this.#builtBytes;
    const open = this.#open;
    this.#keptOpen = open;
    if (open?.kind !== "elements") return;
    const { length } = open.vectors ?? open.elements;
    open.kept = { elements: length, parts: open.parts };
  }

  /** Whether a value has not been read to its end: `goOn` comes next. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** What the values that were read take of the heap, beside their cells; see `built-bytes.ts`. */
  get builtBytes(): number {
    return this.#builtBytes;
  }

  /** Reads the value of one document, or its beginning; see `isOpen`. */
  readValue(column: LooseColumnBuilder, document: number): void {
    const reader = this.#reader;
    switch (reader.peekKind()) {
      case "null":
        reader.readNull();
        column.set(document, null);
        return;
      case "boolean":
        column.set(document, reader.readBoolean());
        return;
      case "number":
        this.#readNumber(column, document);
        return;
      case "string":
        this.#readString(column, document);
        return;
      case "array":
        this.#readArray(column, document);
        return;
      case "object":
        column.set(document, this.#counted(reader.readValue(OBJECT_PARTS)));
    }
  }

  /**
   * Reads a document's id. Refuses with the contract's words, in which `variant` is `Id` for the id
   * of a document and `IdVec` for an element of a list.
   */
  readId(column: LooseColumnBuilder, document: number, variant: "Id" | "IdVec"): void {
    const reader = this.#reader;
    const kind = reader.peekKind();
    if (kind === "string") {
      this.#builtBytes += STRING_BYTES;
      column.set(document, reader.readString());
      return;
    }
    let found: string = kind;
    if (kind === "number") {
      const id = reader.readNumeric();
      if (reader.wasInteger && id >= 0 && id <= UINT64_MAX) {
        column.setInteger(document, id);
        return;
      }
      found = reader.wasInteger ? clip(String(id)) : `the decimal ${id}`;
    } else if (kind === "array" || kind === "object") {
      reader.skipValue();
    } else {
      found = String(reader.readValue());
    }
    throw reader.refuse(
      `data did not match any variant of untagged enum ${variant}`,
      `an id is an integer from 0 to ${UINT64_MAX} or a string of up to ${ID_BYTES_MAX} bytes, ` +
        `but this is ${found}`,
    );
  }

  #readNumber(column: LooseColumnBuilder, document: number): void {
    const reader = this.#reader;
    if (column.form === "float") {
      column.setFraction(document, reader.readNumber());
      return;
    }
    const value = reader.readNumeric();
    if (reader.wasInteger) column.setInteger(document, value);
    else column.setFraction(document, Number(value));
  }

  #readString(column: LooseColumnBuilder, document: number): void {
    const reader = this.#reader;
    if (column.form !== "vector" || !this.#readBase64(column, document)) {
      this.#builtBytes += STRING_BYTES;
      column.set(document, reader.readString());
    }
  }

  /** Base64 needs no check as a string: none of its digits is an escape or beyond ASCII. */
  #readBase64(column: LooseColumnBuilder, document: number): boolean {
    const raw = this.#reader.peekRawString();
    if (raw.length > BASE64_BYTES_MAX) return false;
    const text = latin1(raw);
    const count = base64FloatCount(text);
    if (typeof count === "string") return false;
    const slot = column.vectorSlot(document, count);
    const vector = slot ?? this.#slab.take(count);
    if (!decodeBase64Floats(text, vector)) return false;
    this.#reader.passRawString(raw);
    if (slot === undefined) {
      this.#builtBytes += VIEW_BYTES;
      column.set(document, vector);
    } else {
      column.setVector(document);
    }
    return true;
  }

  #readArray(column: LooseColumnBuilder, document: number): void {
    const reader = this.#reader;
    const first = reader.peekElementKind();
    // Only late interaction nests arrays, so their elements are vectors whatever the name.
    if (first === "array") {
      this.#openArray(column, document, []);
    } else if (first === "number" && column.form === "vector") {
      const numbers = this.#readNumbers();
      const slot = column.vectorSlot(document, numbers.length);
      if (slot === undefined) {
        column.set(document, this.#ownVector(numbers));
      } else {
        slot.set(numbers);
        column.setVector(document);
      }
    } else if (first === "string" || first === "null" || first === "boolean") {
      this.#openArray(column, document);
    } else if (first === "number") {
      this.#openNumbers(column, document);
    } else {
      column.set(document, this.#counted(reader.readValue(ARRAY_PARTS)));
    }
  }

  /** Reads numbers, at once if they are few: what comes after them may be of the same step. */
  #openNumbers(column: LooseColumnBuilder, document: number): void {
    const { offset } = this.#reader;
    const dom = this.#reader.beginKnown(NUMBERS_FORM, this.#unknown);
    if (dom.step(PARSE_STEP_BYTES)) column.set(document, this.#counted(dom.value));
    else this.#open = { kind: "numbers", column, document, offset, dom, isRead: false };
  }

  /** Continues as `goOn` does. A step that reads here does nothing else that may be interrupted. */
  #goOnWithNumbers(open: OpenNumbers): void {
    const { dom, column, document } = open;
    if (open.isRead) {
      this.#open = undefined;
      column.set(document, this.#counted(dom.value));
      return;
    }
    open.isRead = dom.step(PARSE_STEP_BYTES);
    checkValueBytes(this.#reader.offset - open.offset, () => this.#reader.path());
  }

  #openArray(column: LooseColumnBuilder, document: number, vectors?: Float32Array[]): void {
    const { offset } = this.#reader;
    this.#reader.beginArray();
    const kept = { elements: 0, parts: 0 };
    const open: OpenElements = {
      ...{ kind: "elements", column, document, offset, elements: [], parts: 0, kept },
      ...(vectors && { vectors }),
    };
    this.#open = open;
    this.goOn();
  }

  /** Reads on in the value that is open, to its end or as far as one step goes. */
  goOn(): void {
    const open = this.#open;
    assert(open !== undefined, "no value is open");
    if (open.kind === "numbers") this.#goOnWithNumbers(open);
    else this.#goOnWithElements(open);
  }

  #goOnWithElements(open: OpenElements): void {
    const reader = this.#reader;
    const stepEnd = reader.offset + PARSE_STEP_BYTES;
    while (reader.nextElement()) {
      if (open.vectors === undefined) this.#readElement(open);
      else this.#readInnerVector(open, open.vectors);
      if (reader.offset < stepEnd) continue;
      checkValueBytes(reader.offset - open.offset, () => reader.path());
      return;
    }
    this.#open = undefined;
    open.column.set(open.document, open.vectors ?? this.#counted(open.elements));
  }

  #readElement(open: OpenElements): void {
    const reader = this.#reader;
    if (open.parts === ARRAY_PARTS.countMax) throw ARRAY_PARTS.refuse(reader.path());
    open.parts++;
    switch (reader.peekKind()) {
      case "string":
        open.elements.push(reader.readString());
        return;
      case "null":
        reader.readNull();
        open.elements.push(null);
        return;
      case "boolean":
        open.elements.push(reader.readBoolean());
        return;
    }
    const countMax = ARRAY_PARTS.countMax - open.parts;
    open.elements.push(reader.readValue({ ...ARRAY_PARTS, countMax }));
    open.parts += reader.partsRead;
  }

  #counted(value: JsonValue): JsonValue {
    this.#builtBytes += builtBytesOf(value);
    return value;
  }

  #readInnerVector(open: OpenElements, vectors: Float32Array[]): void {
    const reader = this.#reader;
    const numbers = this.#readNumbers();
    // Vectors of nothing would cost far more than their bytes.
    if (numbers.length === 0) throw emptyVector(reader.path());
    open.parts += VECTOR_PARTS + numbers.length;
    if (open.parts > VECTORS_PARTS_MAX) throw vectorsTooLarge(reader.path());
    vectors.push(this.#ownVector(numbers));
  }

  /** A view, valid until the next call. */
  #readNumbers(): Float32Array {
    this.#numbers.truncate(0);
    this.#reader.readNumbersInto(this.#numbers, VECTOR_NUMBERS);
    return this.#numbers.view();
  }

  #ownVector(numbers: Float32Array): Float32Array {
    this.#builtBytes += VIEW_BYTES;
    const vector = this.#slab.take(numbers.length);
    vector.set(numbers);
    return vector;
  }
}

/** Of an array or an object. */
function builtBytesOf(value: JsonValue): number {
  if (Array.isArray(value)) return ARRAY_BYTES + value.length * ELEMENT_BYTES;
  if (value instanceof Map) return OBJECT_BYTES + value.size * ENTRY_BYTES;
  return isJsonNumbers(value) ? VIEW_BYTES + value.values.length * CELL_BYTES : 0;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
