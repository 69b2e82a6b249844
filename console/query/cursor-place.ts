/** What stands at the cursor of a request that is being typed, and need not be whole. */

/** An object or array that is open at the cursor. */
export interface OpenValue {
  readonly kind: "object" | "array";
  /** Of objects: the names that it has before the cursor. */
  readonly names: readonly string[];
  /** Of objects: the member whose value the cursor is in; undefined while a name is typed. */
  readonly member: string | undefined;
  /** Of arrays: the elements before the cursor; undefined where one is no string. */
  readonly before: readonly (string | undefined)[];
}

/** The cursor's place. */
export interface CursorPlace {
  /** From the outermost to the innermost open value. */
  readonly open: readonly OpenValue[];
  /** Whether a member's name or a value is typed. */
  readonly role: "name" | "value";
  /** Where the word begins that a completion takes the place of: at its quote if it has one. */
  readonly start: number;
  /** What was typed of it, without the quote. */
  readonly typed: string;
}

/** Looks at the text up to `offset`. Cost: one pass over it. */
export function cursorPlace(text: string, offset: number): CursorPlace {
  const open: Frame[] = [];
  let at = 0;
  while (at < offset) {
    const char = text[at];
    const frame = open.at(-1);
    if (char === '"') {
      const end = stringEnd(text, at);
      if (end > offset) return placeAt(open, at, text.slice(at + 1, offset));
      take(frame, text.slice(at + 1, end - 1));
      at = end;
      continue;
    }
    if (char === "{" || char === "[") {
      open.push({
        kind: char === "{" ? "object" : "array",
        names: [],
        member: undefined,
        before: [],
      });
    } else if (char === "}" || char === "]") {
      open.pop();
      take(open.at(-1), undefined);
    } else if (char === "," && frame?.kind === "object") {
      frame.member = undefined;
    } else if (/[\w.+-]/.test(char)) {
      const end = wordEnd(text, at);
      if (end >= offset) return placeAt(open, at, text.slice(at, offset));
      take(frame, undefined);
      at = end;
      continue;
    }
    at++;
  }
  return placeAt(open, offset, "");
}

interface Frame extends OpenValue {
  names: string[];
  member: string | undefined;
  before: (string | undefined)[];
}

/** Notes a whole value, or a name. */
function take(frame: Frame | undefined, string: string | undefined): void {
  if (frame?.kind === "array") frame.before.push(string);
  else if (frame?.member === undefined && string !== undefined && frame !== undefined) {
    frame.names.push(string);
    frame.member = string;
  }
}

function placeAt(open: readonly Frame[], start: number, typed: string): CursorPlace {
  const last = open.at(-1);
  const isName = last?.kind === "object" && last.member === undefined;
  return { open, role: isName ? "name" : "value", start, typed };
}

/** Behind the closing quote; beyond the text where there is none. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
    else if (text[at] === "\n") break;
  }
  return text.length + 1;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && /[\w.+-]/.test(text[end])) end++;
  return end;
}
