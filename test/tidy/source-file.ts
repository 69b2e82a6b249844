/** Source files as the tidy rules see them: text, code without comments, code without strings. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One file. All three texts have the same length and the same line breaks. */
export interface SourceFile {
  /** From the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Comments are blanks. */
  readonly code: string;
  /** Comments and the insides of strings, templates and regular expressions are blanks. */
  readonly bare: string;
}

/** Something that breaks a rule, with its cure. */
export interface Finding {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** What is wrong and what to do, in one line. */
  readonly message: string;
}

/** Makes a source file of its text. */
export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, ...blank(text) };
}

/** Reads every source file below `folders` of the project at `root`. */
export function readSourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|js)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "/").length))
      .sort()
      .map((path) => sourceFile(path, readFileSync(join(root, path), "utf8"))),
  );
}

/** The line of a position in a file, from 1. */
export function lineAt(file: SourceFile, offset: number): number {
  const ends = lineEnds(file);
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

const LINE_ENDS = new WeakMap<SourceFile, readonly number[]>();

/** Where the line breaks of a file are; found once, since some rules ask for each function. */
function lineEnds(file: SourceFile): readonly number[] {
  const known = LINE_ENDS.get(file);
  if (known !== undefined) return known;
  const ends: number[] = [];
  for (let at = file.text.indexOf("\n"); at >= 0; at = file.text.indexOf("\n", at + 1)) {
    ends.push(at);
  }
  LINE_ENDS.set(file, ends);
  return ends;
}

/** Tells whether the file is part of the product, not a test of it. */
export function isProduct(file: SourceFile): boolean {
  return /^(?:src|console)\//.test(file.path) && !/\.(?:test|d)\.ts$/.test(file.path);
}

/** Tells whether the file is a generated table, which the limits on size do not bind. */
export function isTable(file: SourceFile): boolean {
  return file.path.endsWith("-table.ts");
}

/** After one of these, a slash starts a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(^|[([{,;=:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|void))$/;

type Part = "comment" | "string" | "template" | "regex";

/** What begins a comment or a literal, and the braces that end the `${` of a template. */
const MARK = /["'`/{}]/g;
/** How many characters before a slash tell whether it starts a regular expression. */
const BEFORE_REGEX_LENGTH = 80;

/** Finds comments and literals and replaces their insides by blanks. */
function blank(text: string): { code: string; bare: string } {
  const code: string[] = [];
  const bare: string[] = [];
  // Open `${` of templates: how many braces are open inside each.
  const templates: number[] = [];
  // Both texts are there up to here, and this is the end of `bare`.
  let done = 0;
  let tail = "";
  const keep = (piece: string, bareOfIt: string) => {
    code.push(piece);
    bare.push(bareOfIt);
    tail = (tail + bareOfIt.slice(-BEFORE_REGEX_LENGTH)).slice(-BEFORE_REGEX_LENGTH);
  };
  const skip = (part: Part, at: number, end: number) => {
    const between = text.slice(done, at);
    keep(between, between);
    const piece = text.slice(at, end);
    const blanks = piece.replaceAll(/[^\n]+/g, ({ length }) => " ".repeat(length));
    const inside = piece[0] + blanks.slice(1, -1) + piece.slice(Math.max(1, piece.length - 1));
    if (part === "comment") keep(blanks, blanks);
    else keep(piece, inside);
    done = end;
  };
  const startsRegex = (at: number) => {
    // The end of an element in JSX.
    if (text[at - 1] === "<" && /[\w.>]/.test(text[at + 1] ?? "")) return false;
    const between = text.slice(Math.max(done, at - BEFORE_REGEX_LENGTH), at);
    return BEFORE_REGEX.test((tail + between).slice(-BEFORE_REGEX_LENGTH).trimEnd());
  };
  for (let at = markFrom(text, 0); at < text.length; at = markFrom(text, Math.max(done, at + 1))) {
    const char = text[at];
    if (text.startsWith("//", at)) skip("comment", at, endOf(text, "\n", at));
    else if (text.startsWith("/*", at)) {
      skip("comment", at, Math.min(endOf(text, "*/", at + 2) + 2, text.length));
    } else if (char === '"' || char === "'") skip("string", at, literalEnd(text, at, char));
    else if (char === "/") {
      if (startsRegex(at)) skip("regex", at, regexEnd(text, at));
    } else if (char === "`" || (char === "}" && templates.at(-1) === 0)) {
      if (char === "}") templates.pop();
      const end = templateEnd(text, at + 1);
      if (text[end - 1] === "{") templates.push(0);
      skip("template", at, end);
    } else if (templates.length > 0) {
      templates[templates.length - 1] += char === "{" ? 1 : -1;
    }
  }
  const rest = text.slice(done);
  keep(rest, rest);
  return { code: code.join(""), bare: bare.join("") };
}

function markFrom(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.exec(text)?.index ?? text.length;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}

function literalEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") {
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at + 1, text.length);
}

function regexEnd(text: string, start: number): number {
  let inClass = false;
  let at = start + 1;
  while (at < text.length && text[at] !== "\n" && (inClass || text[at] !== "/")) {
    if (text[at] === "[") inClass = true;
    if (text[at] === "]") inClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at + 1, text.length);
}

/** The position behind a template's closing quote or behind its next `${`. */
function templateEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "`") {
    if (text.startsWith("${", at)) return at + 2;
    at += text[at] === "\\" ? 2 : 1;
  }
  return Math.min(at + 1, text.length);
}
