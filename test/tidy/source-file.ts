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
  return file.text.slice(0, offset).split("\n").length;
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

/** Finds comments and literals and replaces their insides by blanks. */
function blank(text: string): { code: string; bare: string } {
  const code = text.split("");
  const bare = text.split("");
  // Open `${` of templates: how many braces are open inside each.
  const templates: number[] = [];
  let at = 0;
  const skip = (part: Part, end: number) => {
    for (let i = at; i < end; i++) {
      if (text[i] === "\n") continue;
      if (part === "comment") code[i] = " ";
      if (part === "comment" || (i > at && i < end - 1)) bare[i] = " ";
    }
    at = end;
  };
  while (at < text.length) {
    const char = text[at];
    if (text.startsWith("//", at)) skip("comment", endOf(text, "\n", at));
    else if (text.startsWith("/*", at)) skip("comment", endOf(text, "*/", at + 2) + 2);
    else if (char === '"' || char === "'") skip("string", literalEnd(text, at, char));
    else if (
      char === "/" &&
      // The end of an element in JSX.
      !(text[at - 1] === "<" && /[\w.>]/.test(text[at + 1] ?? "")) &&
      BEFORE_REGEX.test(
        bare
          .slice(Math.max(0, at - 80), at)
          .join("")
          .trimEnd(),
      )
    )
      skip("regex", regexEnd(text, at));
    else if (char === "`" || (char === "}" && templates.at(-1) === 0)) {
      if (char === "}") templates.pop();
      const end = templateEnd(text, at + 1);
      if (text[end - 1] === "{") templates.push(0);
      skip("template", end);
    } else {
      if (templates.length > 0 && char === "{") templates[templates.length - 1]++;
      if (templates.length > 0 && char === "}") templates[templates.length - 1]--;
      at++;
    }
  }
  return { code: code.join(""), bare: bare.join("") };
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
