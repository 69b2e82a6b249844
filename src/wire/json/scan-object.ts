/**
 * Cuts JSON objects and arrays into their values without reading these, so that numbers stay as
 * they are written, and vectors cost next to nothing. What was cut has balanced containers: such a
 * text cannot break out of an array that it is put into. The rest of JSON's syntax is not checked.
 */

/** A value stands from `text[start]` to `text[end - 1]`. */
export interface ScannedValue {
  readonly start: number;
  readonly end: number;
}

/** One member of an object, with the place of its value. */
export interface ScannedMember extends ScannedValue {
  readonly name: string;
}

/** Greatest nesting; the server's own bound. */
const DEPTH_MAX = 64;
/** What of a text is quoted. */
const QUOTED_CHARS_MAX = 40;

const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  arrayStart: 0x5b,
  backslash: 0x5c,
  arrayEnd: 0x5d,
  objectStart: 0x7b,
  objectEnd: 0x7d,
} as const;

/** The members of an object in their order, or what is wrong. `text` has no space at its ends. */
export function scanObject(text: Uint8Array): readonly ScannedMember[] | string {
  if (text[0] !== BYTE.objectStart) return `expected a JSON object, got ${quoted(text, 0)}`;
  const members: ScannedMember[] = [];
  let at = skipSpace(text, 1);
  if (text[at] === BYTE.objectEnd) return endFault(text, at + 1) ?? members;
  for (;;) {
    const nameStart = at;
    const nameEnd = text[at] === BYTE.quote ? stringEnd(text, at) : -1;
    if (nameEnd < 0) return fault(text, nameStart, "the name of a member in quotes");
    at = skipSpace(text, nameEnd);
    if (text[at] !== BYTE.colon) return fault(text, at, "a colon");
    const start = skipSpace(text, at + 1);
    const end = valueEnd(text, start);
    if (end < 0) return fault(text, start, "a value");
    members.push({ name: nameOf(text, nameStart, nameEnd), start, end });
    at = skipSpace(text, end);
    if (text[at] === BYTE.objectEnd) return endFault(text, at + 1) ?? members;
    if (text[at] !== BYTE.comma) return fault(text, at, "a comma or the object's end");
    at = skipSpace(text, at + 1);
  }
}

/** The elements of the array that begins at `from`; undefined if it does not end. */
export function scanArray(text: Uint8Array, from: number): readonly ScannedValue[] | undefined {
  const elements: ScannedValue[] = [];
  let at = skipSpace(text, from + 1);
  while (text[at] !== BYTE.arrayEnd) {
    const end = valueEnd(text, at);
    if (end < 0) return undefined;
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === BYTE.comma) at = skipSpace(text, at + 1);
  }
  return elements;
}

function endFault(text: Uint8Array, at: number): string | undefined {
  const rest = skipSpace(text, at);
  return rest === text.length ? undefined : fault(text, rest, "one object in a line");
}

function fault(text: Uint8Array, at: number, expected: string): string {
  const got = at < text.length ? quoted(text, at) : "its end";
  return `broken JSON: expected ${expected}, got ${got} at byte ${at + 1}`;
}

function quoted(text: Uint8Array, at: number): string {
  const shown = Buffer.from(text.subarray(at, at + QUOTED_CHARS_MAX)).toString();
  return JSON.stringify(text.length - at > QUOTED_CHARS_MAX ? `${shown}…` : shown);
}

function nameOf(text: Uint8Array, start: number, end: number): string {
  const name = Buffer.from(text.buffer, text.byteOffset + start + 1, end - start - 2).toString();
  if (!name.includes("\\")) return name;
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    // The server says what is wrong with it.
    return name;
  }
}

function skipSpace(text: Uint8Array, from: number): number {
  let at = from;
  while (text[at] === 0x20 || text[at] === 0x09 || text[at] === 0x0a || text[at] === 0x0d) at++;
  return at;
}

/** Behind the closing quote of the string that begins at `from`; -1 if it has none. */
function stringEnd(text: Uint8Array, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const byte = text[at];
    if (byte === BYTE.quote) return at + 1;
    if (byte === BYTE.backslash) at++;
  }
  return -1;
}

/** Behind the value that begins at `from`; -1 if there is none, or it does not end. */
function valueEnd(text: Uint8Array, from: number): number {
  const first = text[from];
  if (first === BYTE.quote) return stringEnd(text, from);
  if (first === BYTE.arrayStart || first === BYTE.objectStart) return containerEnd(text, from);
  let at = from;
  while (at < text.length && !endsScalar(text[at])) at++;
  return at === from ? -1 : at;
}

function endsScalar(byte: number): boolean {
  return (
    byte === BYTE.comma ||
    byte === BYTE.objectEnd ||
    byte === BYTE.arrayEnd ||
    byte <= 0x20 ||
    byte === BYTE.quote ||
    byte === BYTE.colon ||
    byte === BYTE.objectStart ||
    byte === BYTE.arrayStart
  );
}

function containerEnd(text: Uint8Array, from: number): number {
  const flat = numbersEnd(text, from);
  if (flat > 0) return flat;
  const closers: number[] = [];
  for (let at = from; at < text.length; at++) {
    const byte = text[at];
    // Digits, commas and points, of which vectors are made, come before all that is looked for.
    if (byte > BYTE.quote && byte < BYTE.arrayStart) continue;
    if (byte === BYTE.quote) {
      at = stringEnd(text, at) - 1;
      if (at < 0) return -1;
    } else if (byte === BYTE.arrayStart || byte === BYTE.objectStart) {
      if (closers.length === DEPTH_MAX) return -1;
      closers.push(byte === BYTE.arrayStart ? BYTE.arrayEnd : BYTE.objectEnd);
    } else if (byte === BYTE.arrayEnd || byte === BYTE.objectEnd) {
      if (closers.pop() !== byte) return -1;
      if (closers.length === 0) return at + 1;
    }
  }
  return -1;
}

/**
 * Behind an array of nothing but numbers, as vectors are, found by searches that the machine does
 * many bytes at a time; 0 for any other container.
 */
function numbersEnd(text: Uint8Array, from: number): number {
  const first = text[from + 1];
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  if (text[from] !== BYTE.arrayStart || !isNumber) return 0;
  const end = text.indexOf(BYTE.arrayEnd, from);
  if (end < 0) return 0;
  const numbers = text.subarray(from + 1, end);
  const isFlat = NOT_IN_NUMBERS.every((byte) => numbers.indexOf(byte) < 0);
  return isFlat ? end + 1 : 0;
}

const NOT_IN_NUMBERS = [BYTE.quote, BYTE.arrayStart, BYTE.objectStart, BYTE.objectEnd];
