/**
 * The query that a screen is about, as controls and as JSON: what is changed in one is changed in
 * the other. Knows no DOM.
 */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { buildRequest } from "../query/build-request.ts";
import { jsonOf, parseJsonSource, parseJsonText, type TextRange } from "../query/json-source.ts";
import { isMembers, type JsonMembers } from "../query/json-value.ts";
import { printJson } from "../query/print-literal.ts";
import { firstQuery, type QueryModel } from "../query/query-model.ts";
import { readRequest } from "../query/read-request.ts";
import type { RequestSchema } from "../query/request-schema.ts";

/** A fault and where it is in the JSON, if it is at a place. */
export interface TextFault {
  readonly message: string;
  readonly place: TextRange | undefined;
}

/** See the file's head. */
export class QueryDraft {
  readonly schema: RequestSchema;
  readonly #text = signal("");
  readonly #model = signal<QueryModel>();
  readonly #problems = signal<ReadonlyMap<string, string>>(new Map());
  readonly #reason = signal<string>();
  readonly #isUntouched = signal(false);

  /** Begins with `text`, or with the first query that the schema offers. */
  constructor(schema: RequestSchema, text: string | undefined) {
    this.schema = schema;
    if (text === undefined) this.reset();
    else this.editText(legible(text));
  }

  /** The request's JSON: the last whole one, while something in the controls is wrong. */
  get text(): ReadonlySignal<string> {
    return this.#text;
  }

  /** What the controls show; undefined while they cannot show the JSON. */
  get model(): ReadonlySignal<QueryModel | undefined> {
    return this.#model;
  }

  /** What is wrong in the controls, by their places. */
  get problems(): ReadonlySignal<ReadonlyMap<string, string>> {
    return this.#problems;
  }

  /** Whether it is as it began: nobody has got anything wrong yet. */
  get isUntouched(): ReadonlySignal<boolean> {
    return this.#isUntouched;
  }

  /** Why the controls cannot show the JSON. */
  get reason(): ReadonlySignal<string | undefined> {
    return this.#reason;
  }

  /** Where the text is no JSON, or no query. */
  readonly fault: ReadonlySignal<TextFault | undefined> = computed(() =>
    textFault(this.#text.value),
  );

  /** The request's body; undefined while the text is none. */
  readonly body: ReadonlySignal<JsonMembers | undefined> = computed(() => {
    const parsed = parseJsonSource(this.#text.value);
    const body = "root" in parsed ? jsonOf(parsed.root) : undefined;
    return isMembers(body) ? body : undefined;
  });

  /** Takes over what the controls were changed to. */
  editModel(model: QueryModel): void {
    this.#isUntouched.value = false;
    const { body, problems } = buildRequest(model, this.schema);
    this.#model.value = model;
    this.#problems.value = problems;
    this.#reason.value = undefined;
    this.#text.value = printJson(body);
  }

  /** Takes over what the JSON was changed to. */
  editText(text: string): void {
    this.#isUntouched.value = false;
    this.#text.value = text;
    this.#problems.value = new Map();
    const parsed = parseJsonSource(text);
    if ("fault" in parsed) {
      this.#reason.value = "The JSON has a fault.";
      this.#model.value = undefined;
      return;
    }
    const read = readRequest(jsonOf(parsed.root), this.schema);
    const isShown = "model" in read;
    this.#model.value = isShown ? read.model : undefined;
    this.#reason.value = isShown ? undefined : read.reason;
    if (isShown) this.#problems.value = buildRequest(read.model, this.schema).problems;
  }

  /** Lets the controls begin anew. */
  reset(): void {
    this.editModel(firstQuery(this.schema));
    this.#isUntouched.value = true;
  }
}

/** Columns from which on a text without line breaks, as addresses have it, is broken into lines. */
const LINE_COLUMNS_MAX = 88;

function legible(text: string): string {
  if (text.length <= LINE_COLUMNS_MAX || text.includes("\n")) return text;
  const value = parseJsonText(text);
  return value === undefined ? text : printJson(value);
}

function textFault(text: string): TextFault | undefined {
  const parsed = parseJsonSource(text);
  if ("fault" in parsed) {
    const { message, offset } = parsed.fault;
    return { message, place: { start: offset, end: Math.min(offset + 1, text.length) } };
  }
  if (parsed.root.kind === "object") return undefined;
  return { message: 'a query is a JSON object, as {"top_k": 10}', place: parsed.root };
}
