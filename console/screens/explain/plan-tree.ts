/** The plan of `explain_query`, which is text for people, as a tree with times and counters. */

/** What the API answers to a request to explain. */
export interface ExplainAnswer {
  readonly plan_text: string;
  /** Only of a query that was run. */
  readonly analysis?: QueryAnalysis;
}

/** What a query that was explained and run has cost. */
export interface QueryAnalysis {
  /** Counters of each query, by name. */
  readonly queries: readonly Readonly<Record<string, number>>[];
  readonly reads: {
    readonly rounds: number;
    readonly loaded_bytes: number;
    readonly store_bytes: number;
  };
  readonly performance: {
    readonly cache_temperature: string;
    readonly server_total_ms: number;
    readonly query_execution_ms: number;
    readonly exhaustive_search_count: number;
    readonly approx_namespace_size: number;
  };
  /** Milliseconds by phase, as `search_ms`. */
  readonly phases: Readonly<Record<string, number>>;
  /** What was worked at, the longest first. */
  readonly steps: readonly { readonly step: string; readonly ms: number }[];
}

/** One line of the plan. */
export interface PlanStep {
  readonly text: string;
  readonly parts: readonly PlanStep[];
  /** Time of the step with its parts; undefined where it was not told. */
  readonly ms: number | undefined;
  /** Steps of several queries with the same text have one time together. */
  readonly isShared: boolean;
  /** What was counted for this step, by the counter's name. */
  readonly work: Readonly<Record<string, number>>;
}

/** One query of the request. */
export interface PlannedQuery {
  /** Undefined where the request has one query. */
  readonly title: string | undefined;
  readonly steps: readonly PlanStep[];
  /** Counters that belong to no single step. */
  readonly work: Readonly<Record<string, number>>;
}

/** The whole plan. */
export interface PlanTree {
  /** What is done with the results of several queries. */
  readonly fusion: readonly string[];
  readonly queries: readonly PlannedQuery[];
  /** Work that is no step of the plan, as `planning`. */
  readonly further: readonly { readonly step: string; readonly ms: number }[];
}

/** Reads a plan. Lines that it does not know stay in the tree as they are. */
export function readPlan({ plan_text, analysis }: ExplainAnswer): PlanTree {
  const sections = sectionsOf(plan_text.split("\n"));
  const drawn = sections.queries.map(({ lines }) => drawLines(lines));
  const texts = drawn.flat().map(stepName);
  const times = new Map(analysis?.steps.map(({ step, ms }) => [step, ms]));
  const used = new Set<string>();
  const queries = drawn.map((lines, i): PlannedQuery => {
    const counters = Object.entries(analysis?.queries[i] ?? {}).filter(([, count]) => count > 0);
    const places = counters.map(([name, count]) => ({ name, count, at: placeOf(name, lines) }));
    const steps = lines.map((line, at): PlanStep => {
      const name = timedName(line, lines[at + 1]);
      const ms = times.get(name);
      if (ms !== undefined) used.add(name);
      const isShared = texts.filter((text) => text === stepName(line)).length > 1;
      const own = places.filter((place) => place.at === at);
      return { ...line, ms, isShared: isShared && ms !== undefined, work: countsOf(own) };
    });
    const rest = places.filter(({ at }) => at === undefined);
    return { title: sections.queries[i].title, steps, work: countsOf(rest) };
  });
  const further = (analysis?.steps ?? []).filter(({ step }) => !used.has(step));
  return { fusion: sections.fusion, queries, further };
}

interface Section {
  readonly title: string | undefined;
  readonly lines: string[];
}

/** Cuts the text by its subqueries; lines about work are told in numbers, too. */
function sectionsOf(lines: readonly string[]): { fusion: string[]; queries: Section[] } {
  const fusion: string[] = [];
  const queries: Section[] = [];
  const isMulti = lines.some((line) => /^Subquery \d+$/.test(line));
  if (!isMulti) queries.push({ title: undefined, lines: [] });
  for (const line of lines) {
    if (line === "" || /^(Work|Reads): /.test(line)) continue;
    if (/^Subquery \d+$/.test(line)) queries.push({ title: line, lines: [] });
    else if (/^(Fuse|Rerank): /.test(line)) fusion.push(line);
    else if (queries.length === 0) fusion.push(line);
    else queries[queries.length - 1].lines.push(line);
  }
  return { fusion, queries };
}

interface DrawnLine {
  readonly text: string;
  readonly parts: PlanStep[];
}

/** Lines become a tree by their indentation, two spaces a level. */
function drawLines(lines: readonly string[]): DrawnLine[] {
  const root: DrawnLine[] = [];
  const trail: DrawnLine[] = [];
  for (const line of lines) {
    const depth = Math.min((/^ */.exec(line)?.[0].length ?? 0) >> 1, trail.length);
    const step = { text: line.trim(), parts: [], ms: undefined, isShared: false, work: {} };
    trail.length = depth;
    const parent: PlanStep[] | DrawnLine[] = depth === 0 ? root : trail[depth - 1].parts;
    (parent as DrawnLine[]).push(step);
    trail.push(step);
  }
  return root;
}

/** A line with those below it, in the words that times are told by but for spaces. */
function stepName(line: Pick<PlanStep, "text" | "parts">): string {
  return [line.text, ...line.parts.map(stepName)].join("; ");
}

/** The name under which a line's time is told: aggregates and their groups have one together. */
function timedName(line: DrawnLine, next: DrawnLine | undefined): string {
  if (line.text.startsWith("Aggregate: ") && next?.text.startsWith("Group: ")) {
    return `${stepName(line)}; ${next.text}`;
  }
  if (!line.text.startsWith("Rank: ") && !line.text.startsWith("Order: ")) return stepName(line);
  return [line.text, ...line.parts.flatMap((part) => indented(part, 1))].join("; ");
}

/** Lines of a ranking keep their indentation in the names of times. */
function indented(step: PlanStep, level: number): string[] {
  return [
    "  ".repeat(level) + step.text,
    ...step.parts.flatMap((part) => indented(part, level + 1)),
  ];
}

/** Which of a query's lines a counter is about; undefined where it may be several. */
function placeOf(counter: string, lines: readonly DrawnLine[]): number | undefined {
  const find = (pattern: RegExp) => {
    const at = lines.findIndex(({ text }) => pattern.test(text));
    return at < 0 ? undefined : at;
  };
  const filter = find(/^Filter: /);
  const rank = find(/^(Rank|Order|Aggregate): /);
  switch (counter) {
    case "documents_scanned":
      return find(/^Scan: /);
    case "bytes_returned":
      return find(/^Return: /);
    case "clusters_probed":
    case "codes_scanned":
    case "candidates_reranked":
    case "vectors_scored":
    case "candidates_skipped":
      return rank;
    case "postings_touched":
    case "blocks_skipped":
    case "values_compared":
    case "strings_tested":
    case "texts_analyzed":
    case "positions_read":
    case "entries_touched":
      // Rankings may read terms and values, too: only where one is alone is it sure.
      return filter === undefined ? rank : isPlainRank(lines[rank ?? -1]) ? filter : undefined;
    default:
      return undefined;
  }
}

/** Vectors alone: whatever was read of texts and values was for the filter. */
function isPlainRank(line: DrawnLine | undefined): boolean {
  return line !== undefined && /^Rank: (ANN|kNN) /.test(line.text);
}

function countsOf(places: readonly { readonly name: string; readonly count: number }[]) {
  return Object.fromEntries(places.map(({ name, count }) => [name, count]));
}
