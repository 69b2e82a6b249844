/** Bodies of writes, parsed while they arrive. */

import { assert } from "../../base/assert.ts";
import { clip } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { type AttributeType, parseAttributeType } from "../../model/attribute-type.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { withPlaces } from "../json/json-body.ts";
import type { JsonForm } from "../json/json-form.ts";
import { JsonReader } from "../json/json-reader.ts";
import { didYouMean } from "../json/json-shape.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import {
  checkValueBytes,
  PARSE_STEP_BYTES,
  tooManyUnknown,
  UNKNOWN_MEMBERS_MAX,
  VALUE_JSON_BYTES_MAX,
} from "./body-bounds.ts";
import { buildWriteRequest, finishLists, type WriteLists } from "./build-write-request.ts";
import { type BuiltMemory, UNBOUNDED_MEMORY } from "./built-bytes.ts";
import type { ValueForm } from "./loose-column-builder.ts";
import { LooseColumnsParser } from "./loose-columns-parser.ts";
import { LooseIdsParser } from "./loose-ids-parser.ts";
import { LooseRowsParser } from "./loose-rows-parser.ts";
import { WRITE_FORMS } from "./write-forms.ts";

/** What is known of the namespace while a body is parsed; wrong hints cost speed, not answers. */
export interface WriteHints {
  /** Type of an attribute in the namespace's schema, if it has one. */
  typeOf(attribute: string): AttributeType | undefined;
}

/** Members that hold one value per document. */
const LIST_MEMBERS = [
  "upsert_rows",
  "upsert_columns",
  "patch_rows",
  "patch_columns",
  "deletes",
] as const;
type ListMember = (typeof LIST_MEMBERS)[number];

/** All members of a write. */
export const KNOWN_MEMBERS: ReadonlySet<string> = new Set([...LIST_MEMBERS, ...WRITE_FORMS.keys()]);

/** A list, or what nobody reads, on its way. */
interface ListParser {
  /** Reads on; true once its end was read. */
  step(): boolean;
  /** True if the last step has done so much work that a pause is due. */
  readonly isPauseDue?: boolean;
  /** See `JsonReader.attempt`. */
  readonly stepBytesMax?: number | undefined;
}

/**
 * Parses the body of one write. Feed it with `push`, then call `finish`, each run to its end; both
 * throw where the body is wrong, and the parser is then of no more use. Memory: what the request
 * itself takes, and the longest stretch of the body that one value or one member takes.
 */
export class WriteBodyParser {
  readonly #reader = new JsonReader({ stepBytesMax: VALUE_JSON_BYTES_MAX, mayPause: true });
  readonly #hints: WriteHints;
  readonly #members: JsonObject = new Map();
  readonly #places = new Map<string, string>();
  readonly #lists: { -readonly [K in keyof WriteLists]: WriteLists[K] } = {};
  #state: "start" | "members" | "end" = "start";
  readonly #unknown: UnknownMembers;
  readonly #memory: BuiltMemory;
  readonly #built: { readonly builtBytes: number }[] = [];
  /** What is read in steps of its own. */
  #list: ListParser | undefined;
  #bodyBytes = 0;
  #hasKnownMember = false;
  #unknownCount = 0;
  #unknownMember: string | undefined;

  /**
   * Members that are not known are passed over and noted in `unknown`. What `memory` has no room
   * for is refused before it is taken.
   */
  constructor(hints: WriteHints, unknown = new UnknownMembers(), memory = UNBOUNDED_MEMORY) {
    this.#hints = hints;
    this.#unknown = unknown;
    this.#memory = memory;
  }

  /** Takes the next bytes of the body, which are copied at once, and parses them. */
  *push(chunk: Uint8Array): Steps<void> {
    this.#bodyBytes += chunk.length;
    if (this.#reader.push(chunk)) yield* this.#run();
  }

  /** Takes the end of the body. */
  *finish(): Steps<WriteRequest> {
    this.#reader.end();
    yield* this.#run();
    assert(this.#state === "end", "a body that has ended is parsed to its end");
    this.#hold();
    if (!this.#hasKnownMember && this.#unknownMember !== undefined) {
      throw nothingKnown(this.#unknownMember);
    }
    const operations = yield* finishLists(this.#lists);
    return withPlaces(
      (member) => this.#places.get(member),
      () => buildWriteRequest(this.#members, this.#lists, operations, this.#bodyBytes),
    );
  }

  *#run(): Steps<void> {
    const reader = this.#reader;
    let sliceEnd = reader.offset + PARSE_STEP_BYTES;
    while (this.#state !== "end") {
      const isDone = reader.attempt(this.#step, this.#list?.stepBytesMax);
      if (!isDone && !reader.isPaused) return;
      if (isDone && reader.offset < sliceEnd && this.#list?.isPauseDue !== true) continue;
      this.#hold();
      yield;
      sliceEnd = reader.offset + PARSE_STEP_BYTES;
    }
    // Not to keep what may follow until the end of the body.
    while (!reader.attempt(() => reader.finish()) && reader.isPaused) yield;
  }

  /** The bytes of the body are counted where it arrives. */
  readonly #hold = (): void => {
    const bytes = this.#built.reduce((sum, { builtBytes }) => sum + builtBytes, 0);
    if (bytes > this.#bodyBytes) this.#memory.hold(bytes - this.#bodyBytes);
  };

  readonly #step = (): void => {
    if (this.#state === "start") {
      this.#reader.beginObject("a write request", DOCUMENTS_FORM);
      this.#state = "members";
    } else if (this.#list === undefined) {
      this.#readMember();
    } else if (this.#list.step()) {
      this.#list = undefined;
    }
  };

  #readMember(): void {
    const reader = this.#reader;
    const name = reader.nextKnownKey(KNOWN_MEMBERS);
    if (name === undefined) {
      this.#state = "end";
      return;
    }
    const form = WRITE_FORMS.get(name);
    if (form !== undefined) {
      this.#places.set(name, reader.where());
      this.#list = this.#knownMember(name, form);
    } else if (!isListMember(name)) {
      reader.peekKind(); // So that the step is over.
      if (this.#unknownCount === UNKNOWN_MEMBERS_MAX) throw tooManyUnknown();
      this.#unknownCount++;
      this.#unknown.note(name, KNOWN_MEMBERS, () => reader.path());
      this.#unknownMember ??= name;
      const skip = reader.beginSkip();
      this.#list = { step: () => skip.step(PARSE_STEP_BYTES) };
      return;
    } else if (reader.peekKind() === "null") {
      reader.readNull();
    } else {
      this.#beginList(name);
    }
    this.#hasKnownMember = true;
  }

  #knownMember(name: string, form: JsonForm): ListParser {
    const start = this.#reader.offset;
    const dom = this.#reader.beginKnown(form, this.#unknown);
    const step = (): boolean => {
      const isEnd = dom.step(PARSE_STEP_BYTES);
      checkValueBytes(this.#reader.offset - start, () => name);
      if (isEnd && dom.value !== null) this.#members.set(name, dom.value);
      return isEnd;
    };
    return { step };
  }

  #beginList(name: ListMember): void {
    const reader = this.#reader;
    if (name === "deletes") {
      const parser = new LooseIdsParser(reader);
      parser.begin();
      this.#lists[name] = parser;
      this.#begin(parser);
    } else if (name === "upsert_rows" || name === "patch_rows") {
      const columns = name === "upsert_rows" ? "upsert_columns" : "patch_columns";
      const hint = `put the documents into an array, or send columns as \`${columns}\``;
      reader.beginArray("a sequence", hint);
      const isPatch = name === "patch_rows";
      const parser = new LooseRowsParser(reader, this.#formOf, {
        marksGiven: isPatch,
        memory: this.#memory,
        grown: this.#hold,
      });
      this.#lists[name] = parser;
      this.#begin(parser);
    } else {
      const rows = name === "upsert_columns" ? "upsert_rows" : "patch_rows";
      const hint = `send documents as \`${rows}\`, columns as {"id": [1, 2], "name": ["a", "b"]}`;
      reader.beginObject("a map", hint);
      const parser = new LooseColumnsParser(reader, name, {
        formOf: this.#formOf,
        memory: this.#memory,
      });
      this.#lists[name] = parser;
      this.#begin(parser);
    }
  }

  #begin(parser: ListParser & { readonly builtBytes: number }): void {
    this.#list = parser;
    this.#built.push(parser);
  }

  /** A declaration in this body counts if it stands before the documents. */
  readonly #formOf = (attribute: string): ValueForm => {
    const schema = this.#members.get("schema");
    const declared = schema instanceof Map ? declaredType(schema.get(attribute)) : undefined;
    const type = declared ?? this.#hints.typeOf(attribute);
    if (type?.kind === "vector" || type?.kind === "multi_vector") return "vector";
    if (type?.kind === "scalar" && type.of === "float") return "float";
    return type === undefined && attribute === "vector" ? "vector" : "any";
  };
}

/** Unknown members are passed over beside known ones; alone they are a mistake, not a write. */
function nothingKnown(name: string): DatabaseError {
  return invalid(
    `💔 the write has no field that is known: unknown field "${clip(name)}"` +
      didYouMean(name, [...KNOWN_MEMBERS]),
    { hint: name === "id" || name === "vector" ? DOCUMENTS_FORM : undefined },
  );
}

/** Said to who sends documents as they are. */
const DOCUMENTS_FORM = 'documents are sent as {"upsert_rows": [{"id": 1, "vector": [0.1, 0.2]}]}';

function isListMember(name: string): name is ListMember {
  return (LIST_MEMBERS as readonly string[]).includes(name);
}

function declaredType(declaration: JsonValue | undefined): AttributeType | undefined {
  const spelled = declaration instanceof Map ? declaration.get("type") : declaration;
  return typeof spelled === "string" ? parseAttributeType(spelled) : undefined;
}
