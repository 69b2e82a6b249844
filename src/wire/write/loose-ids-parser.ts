import type { Steps } from "../../base/steps.ts";
import type { LooseColumn } from "../../model/write-request.ts";
import type { JsonReader } from "../json/json-reader.ts";
import { checkDocumentCount, PARSE_STEP_BYTES } from "./body-bounds.ts";
import { CELL_BYTES } from "./built-bytes.ts";
import { LooseColumnBuilder } from "./loose-column-builder.ts";
import { LooseValueReader } from "./loose-value-reader.ts";

/** Reads `deletes`: an array of ids, some at a time. */
export class LooseIdsParser {
  readonly #reader: JsonReader;
  readonly #values: LooseValueReader;
  readonly #ids = new LooseColumnBuilder("id", "any");
  #count = 0;

  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#values = new LooseValueReader(reader);
  }

  /** Reads the `[`, or refuses what stands there with the contract's words. */
  begin(): void {
    const reader = this.#reader;
    if (reader.peekKind() !== "array") {
      reader.skipValue();
      throw reader.refuse(
        "data did not match any variant of untagged enum IdVec",
        "give the ids in an array, as in [1, 2]",
      );
    }
    reader.beginArray();
  }

  /** Reads some ids; true once the end of the array was read. */
  step(): boolean {
    const reader = this.#reader;
    const stepEnd = reader.offset + PARSE_STEP_BYTES;
    this.#values.rewind();
    let count = this.#count;
    let isEnd = false;
    while (reader.offset < stepEnd) {
      isEnd = !reader.nextElement();
      if (isEnd) break;
      this.#values.readId(this.#ids, count++, "IdVec");
    }
    this.#values.keep();
    checkDocumentCount(count);
    this.#count = count;
    return isEnd;
  }

  /** What the ids so far take of the heap; see `built-bytes.ts`. */
  get builtBytes(): number {
    return this.#count * CELL_BYTES + this.#values.builtBytes;
  }

  /** All ids. */
  finish(): Steps<LooseColumn> {
    return this.#ids.finish(this.#count);
  }
}
