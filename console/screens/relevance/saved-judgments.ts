/** Queries with the grades that a person gave to documents: what a namespace's rankings are measured by. */

import type { Grades } from "./ranking-measures.ts";

/** Grades by click; imported judgments may have others. */
export const GRADES_OFFERED = [0, 1, 2, 3] as const;

/** What each of them says. */
export const GRADE_WORDS = ["not relevant", "related", "good", "perfect"] as const;

/** One query. */
export interface JudgedQuery {
  /** By it qrels name the query. */
  readonly id: string;
  readonly text: string;
  /** Id of the document whose vector the query has, as JSON; its text is embedded otherwise. */
  readonly like?: string | undefined;
  /** Grade by the document's id as text. */
  readonly grades: Readonly<Record<string, number>>;
}

/** All queries of a namespace; at most `QUERIES_MAX`. */
export type SavedJudgments = readonly JudgedQuery[];

/** What a query is asked by. */
export type QueryInput = Pick<JudgedQuery, "text" | "like">;

/** More would not be graded by hand, nor fit what browsers keep for a page. */
const QUERIES_MAX = 2000;
/** Version of the JSON form. */
const VERSION = 1;

/** The saved query of this text and vector. */
export function findQuery(saved: SavedJudgments, input: QueryInput): JudgedQuery | undefined {
  return saved.find(({ text, like }) => text === input.text && like === input.like);
}

/** A query's grades as measures take them. */
export function gradesOf(query: JudgedQuery | undefined): Grades {
  return new Map(Object.entries(query?.grades ?? {}));
}

/**
 * Gives a document of a query a grade, or takes it back (undefined). The query is saved with its
 * first grade; it stays when its last one is taken back.
 */
export function withGrade(
  saved: SavedJudgments,
  input: QueryInput,
  { document, grade }: { readonly document: string; readonly grade: number | undefined },
): SavedJudgments {
  const known = findQuery(saved, input);
  if (known === undefined) {
    if (grade === undefined || saved.length >= QUERIES_MAX) return saved;
    return [...saved, { id: freshId(saved), ...input, grades: { [document]: grade } }];
  }
  const { [document]: _before, ...others } = known.grades;
  const grades = grade === undefined ? others : { ...others, [document]: grade };
  return saved.map((query) => (query === known ? { ...query, grades } : query));
}

/** All queries but one. */
export function withoutQuery(saved: SavedJudgments, id: string): SavedJudgments {
  return saved.filter((query) => query.id !== id);
}

/** Queries that measures can be taken of: something relevant is known of them. */
export function measurable(saved: SavedJudgments): JudgedQuery[] {
  return saved.filter(({ text, like, grades }) => {
    const hasInput = text !== "" || like !== undefined;
    return hasInput && Object.values(grades).some((grade) => grade > 0);
  });
}

/** Queries of `added` put into `saved`: grades of queries with the same id are added to theirs. */
export function merged(saved: SavedJudgments, added: SavedJudgments): SavedJudgments {
  const byId = new Map(saved.map((query) => [query.id, query]));
  for (const query of added) {
    const known = byId.get(query.id);
    const text = query.text === "" ? (known?.text ?? "") : query.text;
    byId.set(query.id, { ...known, ...query, text, grades: { ...known?.grades, ...query.grades } });
  }
  return [...byId.values()];
}

/** The JSON form, for files and for what the browser keeps. */
export function writeJudgments(saved: SavedJudgments): string {
  return JSON.stringify({ version: VERSION, queries: saved });
}

/** Reads the JSON form. Throws an error that says where it is wrong. */
export function readJudgments(text: string): SavedJudgments {
  const root = JSON.parse(text) as { readonly version?: unknown; readonly queries?: unknown };
  if (root?.version !== VERSION) {
    throw new Error(`version: must be ${VERSION}, got ${JSON.stringify(root?.version)}`);
  }
  if (!Array.isArray(root.queries)) throw new Error("queries: must be a list");
  if (root.queries.length > QUERIES_MAX) {
    throw new Error(`queries: at most ${QUERIES_MAX}, got ${root.queries.length}`);
  }
  return root.queries.map((query, i) => readQuery(query, `queries[${i}]`));
}

function readQuery(value: unknown, path: string): JudgedQuery {
  const { id, text, like, grades } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== "string" || id === "") throw new Error(`${path}.id: must be a text`);
  if (typeof text !== "string") throw new Error(`${path}.text: must be a text`);
  if (like !== undefined && typeof like !== "string") {
    throw new Error(`${path}.like: must be a document's id as JSON in a text`);
  }
  if (typeof grades !== "object" || grades === null || Array.isArray(grades)) {
    throw new Error(`${path}.grades: must be an object of grades by document id`);
  }
  for (const [document, grade] of Object.entries(grades)) {
    if (!Number.isInteger(grade)) {
      throw new Error(`${path}.grades[${JSON.stringify(document)}]: must be a whole number`);
    }
  }
  const input = like === undefined ? { text } : { text, like };
  return { id, ...input, grades: grades as Record<string, number> };
}

/** The least number that no query has as its id. */
function freshId(saved: SavedJudgments): string {
  const taken = new Set(saved.map(({ id }) => id));
  let number = saved.length + 1;
  while (taken.has(String(number))) number++;
  return String(number);
}
