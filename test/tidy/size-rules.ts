/** Rules about sizes: lines of a file, columns of a line, lines and parameters of a function. */

import { type Finding, isTable, lineAt, type SourceFile } from "./source-file.ts";

/** Above it a file is worth a look; a class is not cut in half for its length alone. */
const FILE_LINES_LOOK = 400;
const LINE_COLUMNS_MAX = 100;
const FUNCTION_LINES_MAX = 70;
const PARAMETERS_MAX = 4;

/** A line that is one regular expression and nothing else: it cannot be broken. */
const LONE_REGEX = /^\s*\/.+\/[a-z]*[;,]?$/;

/** Lines that are too long; tables are exempt. */
export function lengthFindings(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => !isTable(file))
    .flatMap((file) => {
      const lines = file.text.replace(/\n$/, "").split("\n");
      return lines.flatMap((line, i) => {
        const columns = [...line].length;
        if (columns <= LINE_COLUMNS_MAX || LONE_REGEX.test(line)) return [];
        const message = `${columns} columns, ${LINE_COLUMNS_MAX} are allowed; break the line`;
        return [{ path: file.path, line: i + 1, message }];
      });
    });
}

/** Files that are so long that they may have two purposes: a smell, which is shown and no fault. */
export function lengthSmells(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => !isTable(file))
    .flatMap((file) => {
      const lineCount = file.text.replace(/\n$/, "").split("\n").length;
      if (lineCount <= FILE_LINES_LOOK) return [];
      const message = `${lineCount} lines; look whether it has two purposes`;
      return [{ path: file.path, line: lineCount, message }];
    });
}

/** Functions with too many lines or parameters; the callbacks of test files are exempt. */
export function functionFindings(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => !file.path.endsWith(".test.ts") && !file.path.startsWith("test/conformance/"))
    .flatMap((file) =>
      functionsOf(file).flatMap(({ line, lineCount, parameterCount }) => {
        const { path } = file;
        const findings: Finding[] = [];
        if (lineCount > FUNCTION_LINES_MAX) {
          const rule = `${FUNCTION_LINES_MAX} are allowed; split it`;
          findings.push({ path, line, message: `a function of ${lineCount} lines, ${rule}` });
        }
        // Kernels take addresses and counts: WebAssembly has no objects to pass.
        if (parameterCount > PARAMETERS_MAX && !path.startsWith("assembly/")) {
          const rule = `${PARAMETERS_MAX} are allowed; take a named object`;
          findings.push({
            path,
            line,
            message: `a function of ${parameterCount} parameters, ${rule}`,
          });
        }
        return findings;
      }),
    );
}

interface FunctionExtent {
  /** Where its head begins. */
  readonly line: number;
  readonly lineCount: number;
  readonly parameterCount: number;
}

interface Level {
  /** Where the statement or element that is being read at this level began. */
  start: number;
  /** Set for the body of a function: where its head began. */
  readonly head?: number;
  readonly parameterCount: number;
}

/** Finds the functions with a body in braces; what a brace opens is told by the text before it. */
function functionsOf(file: SourceFile): FunctionExtent[] {
  const { bare } = file;
  const found: FunctionExtent[] = [];
  const levels: Level[] = [{ start: 0, parameterCount: 0 }];
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at];
    const level = levels[levels.length - 1];
    if (char === "(" || char === "[" || char === "{") {
      const head = bare.slice(level.start, at);
      const isBody = char === "{" && isFunctionHead(head);
      const indent = head.length - head.trimStart().length;
      levels.push({
        start: at + 1,
        parameterCount: isBody ? countParameters(head) : 0,
        ...(isBody && { head: level.start + indent }),
      });
    } else if ((char === ")" || char === "]" || char === "}") && levels.length > 1) {
      levels.pop();
      if (level.head !== undefined) {
        const line = lineAt(file, level.head);
        const lineCount = lineAt(file, at) - line + 1;
        found.push({ line, lineCount, parameterCount: level.parameterCount });
      }
      if (char === "}") levels[levels.length - 1].start = at + 1;
    } else if (char === ";" || char === ",") {
      level.start = at + 1;
    }
  }
  return found;
}

const CONTROL =
  /^(?:\w+:\s*)?(?:if|else|for|while|do|switch|try|catch|finally|case|default|with)\b/;

function isFunctionHead(head: string): boolean {
  const text = head.trim();
  if (CONTROL.test(text)) return false;
  if (/\b(?:class|interface|enum)\s+\w+[^()]*$/.test(text)) return false;
  return /=>$/.test(text) || /\)\s*(?::[^=?]*)?$/.test(text);
}

/** Counts the parameters in the last parenthesis of an arrow's head, else in the first one. */
function countParameters(head: string): number {
  const groups: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < head.length; at++) {
    if (head[at] === "(" && depth++ === 0) start = at + 1;
    if (head[at] === ")" && --depth === 0) groups.push(head.slice(start, at));
  }
  const list = (/=>\s*$/.test(head) ? groups.at(-1) : groups[0]) ?? "";
  let count = list.trim() === "" ? 0 : 1;
  let nesting = 0;
  for (let at = 0; at < list.length; at++) {
    if ("([{<".includes(list[at])) nesting++;
    else if (")]}".includes(list[at]) || (list[at] === ">" && list[at - 1] !== "=")) nesting--;
    else if (list[at] === "," && nesting === 0 && list.slice(at + 1).trim() !== "") count++;
  }
  return count;
}
