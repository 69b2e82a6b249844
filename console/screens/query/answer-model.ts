/** Answers to queries in the form in which they are shown. */

import { temperatureWords } from "../../api/cache-temperature.ts";
import { highlightName } from "../../query/build-ranking.ts";
import { isList, isMembers, type Json, type JsonMembers } from "../../query/json-value.ts";

/** One result of an answer: that of one query, or of several fused. */
export interface ShownResult {
  /** Undefined where there is one alone. */
  readonly title: string | undefined;
  readonly rows: readonly JsonMembers[];
  /** Names of the rows' members, in the order in which they are shown. */
  readonly columns: readonly string[];
  /** Rows are documents; otherwise groups, or the one row of all aggregates. */
  readonly isDocuments: boolean;
}

/** The results of an answer. */
export function shownResults(answer: Json): ShownResult[] {
  if (!isMembers(answer)) return [];
  if (!isList(answer.results)) return [shownResult(answer, undefined)];
  const results = answer.results.filter(isMembers);
  return results.map((result, i) =>
    shownResult(result, results.length === 1 ? undefined : `Query ${i + 1}`),
  );
}

function shownResult(result: JsonMembers, title: string | undefined): ShownResult {
  const { rows, aggregation_groups: groups, aggregations } = result;
  const isDocuments = isList(rows);
  const found = isDocuments ? rows : isList(groups) ? groups : [aggregations ?? {}];
  const all = found.filter(isMembers);
  return { title, rows: all, columns: columnsOf(all), isDocuments };
}

/** Id and distance first, then as the rows have them: a document lacks what it has no value of. */
function columnsOf(rows: readonly JsonMembers[]): string[] {
  const names = new Set(rows.flatMap(Object.keys));
  const first = ["id", "$dist"].filter((name) => names.delete(name));
  return [...first, ...names];
}

/** A piece of text, and whether it matched. */
export interface TextPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Fragments of an attribute that matched; undefined where the answer has none of it. */
export function fragmentsOf(row: JsonMembers, attribute: string): TextPiece[][] | undefined {
  const fragments = row[highlightName(attribute)];
  if (!isList(fragments) || fragments.length === 0) return undefined;
  return fragments.filter(isMembers).map(fragmentPieces);
}

/** Ranges are of the whole value, in UTF-16 units; the text is that of the fragment. */
function fragmentPieces(fragment: JsonMembers): TextPiece[] {
  const text = String(fragment.text ?? "");
  const [start] = isList(fragment.fragment_range) ? fragment.fragment_range : [0];
  const ranges = isList(fragment.match_ranges) ? fragment.match_ranges : [];
  const pieces: TextPiece[] = [];
  let done = 0;
  for (const range of ranges) {
    if (!isList(range)) continue;
    const from = Number(range[0]) - Number(start);
    const to = Number(range[1]) - Number(start);
    if (from < done || to > text.length) continue;
    if (from > done) pieces.push({ text: text.slice(done, from), isMatch: false });
    pieces.push({ text: text.slice(from, to), isMatch: true });
    done = to;
  }
  if (done < text.length) pieces.push({ text: text.slice(done), isMatch: false });
  return pieces;
}

/** Numbers of a vector that are shown of it. */
const SHOWN_NUMBERS = 3;
/** Characters of a value that are shown in a row. */
const SHOWN_CHARS = 300;

/** A value in a few words: vectors have thousands of numbers. */
export function valueSummary(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return clipped(value);
  if (
    isList(value) &&
    value.length > SHOWN_NUMBERS &&
    value.every((each) => typeof each === "number")
  ) {
    const first = value.slice(0, SHOWN_NUMBERS).join(", ");
    return `[${first}, …] · ${value.length.toLocaleString("en-US")} numbers`;
  }
  if (isList(value)) return clipped(value.map(valueSummary).join(", "));
  if (isMembers(value)) {
    const members = Object.entries(value).slice(0, 20);
    return clipped(members.map(([name, each]) => `${name}: ${valueSummary(each)}`).join(", "));
  }
  return String(value);
}

function clipped(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

/** What the server reports of a query's time, in one line. */
export function performanceText(answer: Json, roundTripMs: number): string {
  const performance = isMembers(answer) ? answer.performance : undefined;
  if (!isMembers(performance)) return `${Math.round(roundTripMs)} ms with the network`;
  const parts = [
    `${String(performance.query_execution_ms)} ms to run`,
    `${String(performance.server_total_ms)} ms in the server`,
    `${Math.round(roundTripMs)} ms with the network`,
    temperatureWords(performance.cache_temperature),
  ];
  const { exhaustive_search_count: fresh, approx_namespace_size: size } = performance;
  if (Number(fresh) > 0) parts.push(`${String(fresh)} of ${String(size)} documents not indexed`);
  if (performance.embedding_ms !== undefined) {
    parts.push(`${String(performance.embedding_ms)} ms to embed`);
  }
  return parts.join(" · ");
}
