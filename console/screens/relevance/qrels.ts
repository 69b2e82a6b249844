/**
 * Judgments in the form of TREC, which evaluation programs read: a line for each grade with the
 * query's id, a 0 that nobody reads, the document's id and the grade. Texts of queries are in a
 * file beside it, a line for each: the id, a tab, the text.
 */

import { merged, readJudgments, type SavedJudgments } from "./saved-judgments.ts";

/** Grades as qrels; ids with blanks cannot be written, since blanks divide the columns. */
export function writeQrels(saved: SavedJudgments): string {
  const lines = saved.flatMap(({ id, grades }) =>
    Object.entries(grades).map(([document, grade]) => {
      const blank = [id, document].find((text) => /\s/.test(text) || text === "");
      if (blank !== undefined) {
        throw new Error(
          `id ${JSON.stringify(blank)}: qrels have no ids with blanks; export JSON instead`,
        );
      }
      return `${id} 0 ${document} ${grade}\n`;
    }),
  );
  return lines.join("");
}

/**
 * Reads a file of any of the forms into what is saved: judgments as JSON, qrels, or texts of
 * queries. Throws an error that names the line.
 */
export function readJudgmentFile(saved: SavedJudgments, text: string): SavedJudgments {
  if (text.trimStart().startsWith("{")) return merged(saved, readJudgments(text));
  const lines = text.split(/\r?\n/).map((line, i) => ({ line, number: i + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== "");
  if (filled.length === 0) throw new Error("the file is empty");
  const isQrels = filled.every(({ line }) => QREL.test(line.trim()));
  return merged(saved, isQrels ? readQrels(filled) : filled.map(readTopic));
}

interface Line {
  readonly line: string;
  readonly number: number;
}

const QREL = /^(\S+)\s+(\S+)\s+(\S+)\s+(-?\d+)$/;

function readQrels(lines: readonly Line[]): SavedJudgments {
  const byQuery = new Map<string, Record<string, number>>();
  for (const { line } of lines) {
    const [, query = "", , document = "", grade] = QREL.exec(line.trim()) ?? [];
    const grades = byQuery.get(query) ?? {};
    grades[document] = Number(grade);
    byQuery.set(query, grades);
  }
  return [...byQuery].map(([id, grades]) => ({ id, text: "", grades }));
}

function readTopic({ line, number }: Line): SavedJudgments[number] {
  const tab = line.indexOf("\t");
  if (tab > 0)
    return { id: line.slice(0, tab).trim(), text: line.slice(tab + 1).trim(), grades: {} };
  throw new Error(
    `line ${number}: neither "query 0 document grade", as qrels have it, nor an id, a tab and ` +
      "the query's text",
  );
}
