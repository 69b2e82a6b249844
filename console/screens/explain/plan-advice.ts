/**
 * What would change a query's cost, in plain sentences. Only such that follow from its plan, its
 * counters and the schema: where nothing is known, nothing is said.
 */

import type { RequestAttribute, RequestSchema } from "../../query/request-schema.ts";
import { isVector } from "../../query/request-schema.ts";
import type { ExplainAnswer, QueryAnalysis } from "./plan-tree.ts";

/** What advice follows from. */
export interface AdviceFacts {
  readonly answer: ExplainAnswer;
  readonly schema: RequestSchema;
  /** Of the namespace's metadata; undefined where it could not be read. */
  readonly indexStatus: "up-to-date" | "updating" | undefined;
}

/** From this share of the documents on a term is called common. */
const COMMON_SHARE = 0.5;
/** Fewer documents are looked at in no time, whatever is advised. */
const DOCUMENTS_MIN = 1000;
/** Dictionaries of fewer distinct strings have no trigrams (ADR 33). */
const TRIGRAM_STRINGS_MIN = 1024;
/** Milliseconds below which a phase is not worth a sentence. */
const PHASE_MS_MIN = 5;

/** The sentences, the most telling first. Empty: nothing stands out. */
export function planAdvice({ answer, schema, indexStatus }: AdviceFacts): string[] {
  const { plan_text: plan, analysis } = answer;
  return [
    ...freshAdvice(plan, analysis, indexStatus),
    ...termAdvice(plan),
    ...patternAdvice(plan, analysis, schema),
    ...filterAdvice(plan, analysis),
    ...exactAdvice(plan, analysis, schema),
    ...answerAdvice(plan, analysis, schema),
    ...readAdvice(analysis),
    ...phaseAdvice(analysis),
  ];
}

/** Documents of the log have no index yet. */
function freshAdvice(
  plan: string,
  analysis: QueryAnalysis | undefined,
  status: AdviceFacts["indexStatus"],
): string[] {
  const performance = analysis?.performance;
  const count = performance?.exhaustive_search_count ?? 0;
  if (performance === undefined || count === 0) return [];
  const all = performance.approx_namespace_size;
  const where =
    `${many(count)} of ${many(all)} documents are still in the log, ` +
    "in memory and without an index";
  const how = /^Rank: ANN /m.test(plan) ? ": ANN compares those that match one by one" : "";
  if (status === "updating") {
    return [`${where}${how}. The indexer is at them: ask again when the index is up to date.`];
  }
  if (status === "up-to-date") {
    return [
      `${where}${how}. So few stay there until more are written, and nothing has to be done.`,
    ];
  }
  return [`${where}${how}.`];
}

/** Words that nothing has, or nearly everything. */
function termAdvice(plan: string): string[] {
  const advice: string[] = [];
  const live = Number(/^Scan: (\d+) live documents/m.exec(plan)?.[1] ?? 0);
  for (const [, attribute, terms] of plan.matchAll(
    /^ *BM25 on (.+), average length [\d.]+: (.*)$/gm,
  )) {
    for (const [, term, text] of terms.matchAll(/(?:^|, )(.+?) \(in (\d+)\)/g)) {
      const count = Number(text);
      if (count === 0) advice.push(`No document has "${term}" in ${attribute}: it finds nothing.`);
      else if (live >= DOCUMENTS_MIN && count > live * COMMON_SHARE) {
        advice.push(
          `"${term}" is in ${attribute} of ${many(count)} of ${many(live)} documents: ` +
            "it costs the most to look up and tells the documents apart the least.",
        );
      }
    }
  }
  return [...new Set(advice)];
}

/** Patterns are tried on fewer strings where the attribute has their trigrams. */
function patternAdvice(
  plan: string,
  analysis: QueryAnalysis | undefined,
  schema: RequestSchema,
): string[] {
  const tested = total(analysis, "strings_tested");
  if (tested < TRIGRAM_STRINGS_MIN) return [];
  const attributes = filterLines(plan)
    .flatMap((line) => [...schema.values()].filter(({ name }) => isAbout(line, name, "matches")))
    .filter(({ glob, regex, fuzzy }) => !glob && !regex && !fuzzy);
  return unique(attributes).map(
    ({ name }) =>
      `The pattern was tried on ${many(tested)} strings. With "glob": true in the schema of ` +
      `${name}, stored segments keep which strings have which three letters together, and ` +
      "patterns of three letters or more are tried on those alone.",
  );
}

/** Filters that compared everything one by one. */
function filterAdvice(plan: string, analysis: QueryAnalysis | undefined): string[] {
  const scanned = total(analysis, "documents_scanned");
  if (scanned < DOCUMENTS_MIN) return [];
  const compared = total(analysis, "values_compared");
  if (compared >= scanned) {
    return [
      `The filter compared ${many(compared)} values one by one, for ${many(scanned)} documents. ` +
        "In large stored segments filters on numbers and strings take what lies together in " +
        "order instead, where that is less.",
    ];
  }
  if (/^Aggregate: /m.test(plan) && filterLines(plan).length === 0) {
    return [`There is no filter: all ${many(scanned)} documents were counted.`];
  }
  return [];
}

/** Exact searches where an index would do. */
function exactAdvice(
  plan: string,
  analysis: QueryAnalysis | undefined,
  schema: RequestSchema,
): string[] {
  const scored = total(analysis, "vectors_scored") + total(analysis, "codes_scanned");
  const attributes = [...schema.values()].filter(
    ({ name, ann }) => ann && new RegExp(`^Rank: kNN on ${escaped(name)} \\(`, "m").test(plan),
  );
  if (scored < DOCUMENTS_MIN) return [];
  return attributes.map(
    ({ name }) =>
      `kNN looked at ${many(scored)} vectors: all that match. ${name} has an ANN index, and ANN ` +
      "would look into the nearest clusters alone; what it may miss, Relevance measures as recall.",
  );
}

/** Vectors in the answer that nobody may have asked for. */
function answerAdvice(
  plan: string,
  analysis: QueryAnalysis | undefined,
  schema: RequestSchema,
): string[] {
  const returned = new Set(
    [...plan.matchAll(/^Return: (.*)$/gm)].flatMap(([, names]) => names.split(", ")),
  );
  const vectors = [...schema.values()].filter((each) => isVector(each) && returned.has(each.name));
  const bytes = total(analysis, "bytes_returned");
  if (vectors.length === 0 || bytes === 0) return [];
  const names = vectors.map(({ name }) => name).join(", ");
  return [
    `The answer has ${many(bytes)} bytes of values, vectors among them (${names}): ` +
      "exclude_attributes leaves them out.",
  ];
}

/** What was not in memory. */
function readAdvice(analysis: QueryAnalysis | undefined): string[] {
  if (analysis === undefined || analysis.reads.rounds === 0) return [];
  const { rounds, loaded_bytes: bytes } = analysis.reads;
  const times = rounds === 1 ? "once" : `${many(rounds)} times, one after the other,`;
  return [
    `The query waited ${times} for bytes that were not in memory, ${many(bytes)} in all. ` +
      "They stay there while there is room; hint_cache_warm reads them ahead.",
  ];
}

/** Time that was no work of the plan. */
function phaseAdvice(analysis: QueryAnalysis | undefined): string[] {
  if (analysis === undefined) return [];
  const { phases } = analysis;
  const all = Object.values(phases).reduce((sum, ms) => sum + ms, 0);
  const isMost = (ms: number) => ms >= PHASE_MS_MIN && ms > all / 2;
  const waited = (phases.queue_ms ?? 0) + (phases.wait_ms ?? 0);
  const advice: string[] = [];
  if (isMost(waited)) {
    advice.push(
      `${shownMs(waited)} of ${shownMs(all)} ms were waiting, for a turn, a slot or the ` +
        "request's own bytes: fewer queries at once would help, not another plan.",
    );
  }
  const embedded = phases.embed_ms ?? 0;
  if (isMost(embedded)) {
    advice.push(
      `${shownMs(embedded)} of ${shownMs(all)} ms the model took to make the text a vector: ` +
        "a vector that is kept and sent itself takes none.",
    );
  }
  return advice;
}

function filterLines(plan: string): string[] {
  const lines = plan.split("\n");
  return lines.filter((line) => /^(Filter: |\s+part: )/.test(line));
}

function isAbout(line: string, name: string, verb: string): boolean {
  return new RegExp(`(: |of )${escaped(name)} ${verb}`).test(line);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function total(analysis: QueryAnalysis | undefined, counter: string): number {
  return (analysis?.queries ?? []).reduce((sum, work) => sum + (work[counter] ?? 0), 0);
}

function unique(attributes: readonly RequestAttribute[]): RequestAttribute[] {
  return [...new Set(attributes)];
}

function many(count: number): string {
  return count.toLocaleString("en-US");
}

function shownMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}
