/** Notes of a plan on the values of a column, each with a sampled value. */

import type { AttributeType, IdType } from "../../model/attribute-type.ts";
import type { TextLook } from "./code-texts.ts";
import { type ColumnSample, type Example, NUMBER_KINDS } from "./column-sample.ts";
import type { SampledColumn } from "./column-samples.ts";
import type { ValueKind } from "./value-kinds.ts";

/** Characters of a value that a note shows. */
const SHOWN_CHARS_MAX = 40;

/** Facts about a column that its values do not show. */
export interface InferenceHints {
  /** Name of the column in the file, for messages. */
  readonly name: string;
  /** True if the user's schema or the column's name makes it a vector column. */
  readonly isVector: boolean;
  /** Values are texts of a table: what does not fit one kind is a string. */
  readonly isText: boolean;
  /** Values are JSON, whose numbers are no strings. */
  readonly isJson: boolean;
  /** Returns the user's way to declare a type for the column. */
  readonly declare: (type: string) => string;
}

/** Notes on a column that was found to have this type. */
export function valueNotes(
  sample: ColumnSample,
  type: AttributeType,
  hints: InferenceHints,
): string[] {
  const { counts, examples } = sample;
  const notes = storedNotes(sample, type);
  const wide = examples.get("wide");
  if (wide !== undefined) {
    const count = `${counts.get("wide")} of ${sample.valueCount} sampled values`;
    notes.push(
      `${count} are integers beyond 64 bits, as ${clipped(wide.text)} in ${wide.place}: such ` +
        "rows are rejected",
    );
  }
  if (scalarOf(type) === "string" && hints.isText) notes.push(...textNotes(sample, hints));
  return notes;
}

/** Notes on values that are stored in another form than they are written in. */
export function storedNotes({ changed, counts }: ColumnSample, type: AttributeType): string[] {
  const of = scalarOf(type);
  const notes: string[] = [];
  const isChanged = changed !== undefined && (of === "float" || of === "bool" || of === "datetime");
  if (isChanged) notes.push(`${shown(changed)} becomes ${changed.becomes}`);
  // Times of binary files have been cut off where they were read, and have a note of that.
  const isText = counts.has("datetime") || counts.has("string");
  if (of === "datetime" && isText)
    notes.push("datetimes have milliseconds: what is finer is cut off");
  return notes;
}

/** Notes on ids that are stored in another form than they are written in. */
export function idNotes(
  { sample, isText, declared }: Pick<SampledColumn, "sample" | "isText" | "declared">,
  idType: IdType,
  declare: InferenceHints["declare"],
): string[] {
  const { changed, counts, examples } = sample;
  const isRewritten = idType === "uuid" && changed !== undefined;
  if (isRewritten) return [`${shown(changed)} becomes ${changed.becomes}`];
  if (idType !== "string") return [];
  const hints = { name: "id", isVector: false, isText, isJson: declared === undefined, declare };
  if (isText) return textNotes(sample, hints);
  const number = NUMBER_KINDS.find((kind) => counts.has(kind));
  const example = number === undefined ? undefined : examples.get(number);
  return example === undefined ? [] : [`${clipped(example.text)} becomes ${shown(example)}`];
}

function scalarOf(type: AttributeType): string | undefined {
  return type.kind === "scalar" ? type.of : undefined;
}

/** Notes why a column of texts that look like numbers or dates stays text. */
function textNotes(sample: ColumnSample, hints: InferenceHints): string[] {
  const { looks, counts, valueCount } = sample;
  const numbers = NUMBER_KINDS.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
  const looking = (kinds: readonly TextLook[]) =>
    kinds.reduce((sum, look) => sum + (looks.get(look)?.count ?? 0), 0);
  if (looks.size > 0 && numbers + looking(CODES) === valueCount) return [codeNote(sample, hints)];
  if (looks.size > 0 && looking(DATES) === valueCount) return [dateNote(sample, hints)];
  return strayNotes(sample, numbers, hints);
}

const CODES: readonly TextLook[] = ["plus", "zero", "long", "exponent", "comma"];
const DATES: readonly TextLook[] = ["iso date", "other date", "datetime"];

const CODE_REASONS: Partial<Record<TextLook, string>> = {
  plus: "a number has no plus sign",
  zero: "a number has no leading zero",
  long: "numbers have at most 15 digits",
  exponent: "numbers are written 1.0e5 or 1e+5",
  comma: "numbers have a decimal point",
};

function codeNote({ looks, longIntegers }: ColumnSample, { declare }: InferenceHints): string {
  const [[look, example]] = [...looks].filter(([one]) => CODES.includes(one));
  const isInteger = /^[+-]?\d+$/.test(example.text);
  const fits = look === "long" ? longIntegers === example.count : look !== "comma";
  const cure = fits ? `; ${declare(isInteger ? "int" : "float")} makes numbers of them` : "";
  return `stay text, as ${shown(example)}: ${CODE_REASONS[look]}${cure}`;
}

function dateNote({ looks }: ColumnSample, { declare }: InferenceHints): string {
  const [[look, first], ...others] = [...looks];
  if (others.length > 0) {
    const [[, second]] = others;
    return `stay text: dates are written differently, as ${shown(first)} and ${shown(second)}`;
  }
  if (look !== "iso date") {
    return `stay text, as ${shown(first)}: dates are written 2026-01-31`;
  }
  const cure = `${declare("datetime")} makes datetimes of them`;
  return `stay text, as ${shown(first)}: dates alone are no datetimes; ${cure}`;
}

/** A few cells of another kind turn a complete column into texts. */
function strayNotes(sample: ColumnSample, numbers: number, hints: InferenceHints): string[] {
  const { counts, valueCount } = sample;
  const candidates: readonly (readonly [
    name: string,
    count: number,
    kinds: readonly ValueKind["kind"][],
  ])[] = [
    ["a number", numbers, NUMBER_KINDS],
    ["true or false", counts.get("bool") ?? 0, ["bool"]],
    ["a datetime", counts.get("datetime") ?? 0, ["datetime"]],
    ["an array", counts.get("array") ?? 0, ["array"]],
  ];
  const usual = candidates.find(([, count]) => 2 * count >= valueCount);
  if (usual === undefined) return [];
  const [name, count, kinds] = usual;
  const stray = strayExample(sample, kinds);
  if (stray === undefined) return [];
  const type = typeOf(sample, kinds);
  const cure = type === undefined ? "" : `; ${hints.declare(type)} rejects such rows instead`;
  return [
    `stay text, as ${shown(stray)} in ${stray.place} is not ${name}, and ${count} of ` +
      `${valueCount} sampled cells are${cure}`,
  ];
}

function strayExample(
  { examples }: ColumnSample,
  usual: readonly ValueKind["kind"][],
): Example | undefined {
  const silent: readonly ValueKind["kind"][] = ["null", "broken"];
  return [...examples].find(([kind]) => !usual.includes(kind) && !silent.includes(kind))?.[1];
}

function typeOf({ counts }: ColumnSample, kinds: readonly ValueKind["kind"][]): string | undefined {
  if (kinds === NUMBER_KINDS) return counts.has("float") ? "float" : "int";
  return kinds[0] === "array" ? undefined : kinds[0];
}

/** A text in quotes; texts of JSON have them already. */
function shown({ text }: Example): string {
  return /^".*"$/.test(text) ? clipped(text) : JSON.stringify(clipped(text));
}

function clipped(text: string): string {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
