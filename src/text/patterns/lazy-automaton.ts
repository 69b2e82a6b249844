/**
 * Runs the program of a pattern over texts: a deterministic automaton whose states are made when
 * they are first reached (subset construction; Ken Thompson, 1968). There is no backtracking: a
 * character takes a lookup, or time for each instruction of the program at most. States are
 * forgotten when they would take more memory than they may.
 */

import { withRoom } from "../../base/with-room.ts";
import { codePointAt, unitsOf } from "../segmentation/code-points.ts";
import { isInSet } from "./character-set.ts";
import { OPS, type PatternProgram, PLACES, placeOf } from "./pattern-program.ts";

/** The state of reading a text. */
export interface TextScan {
  readonly text: string;
  /** The next UTF-16 unit. */
  at: number;
  /** The state of the automaton there. */
  state: StateKey;
}

/**
 * A code unit for the characters before a position (`AROUND`), then the instructions, ascending.
 */
type StateKey = string;

/** The kind of the character before or behind a position, as far as the program asks for it. */
const AROUND = { other: 0, edge: 1, newline: 2, word: 3 } as const;

/** Transitions: to a state (from 1 on), or to one of these. */
const UNKNOWN = 0;
const MATCHED = -1;
const NEVER = -2;

/**
 * Bytes of a state in addition to its transitions and instructions: an entry of a map, a string.
 */
const STATE_BYTES = 96;
/** Classes of the code points below are looked up in a table. */
const TABLE_END = 256;
/** Units that `String.fromCharCode` takes at once. */
const UNITS_AT_ONCE = 4096;

/** Cost of making a state in addition to its instructions, in lookups. */
const MAKE_WORK = 16;

/** An automaton. Several texts may be read in turns. */
export class LazyAutomaton {
  readonly #program: PatternProgram;
  readonly #bytesMax: number;
  /** Classes of the alphabet, and one for the end of the text. */
  readonly #stride: number;
  readonly #classes: Uint32Array;
  /** Rows of transitions, one for each state; the first is unused. */
  #table: Int32Array;
  readonly #keys: StateKey[] = [""];
  readonly #numbers = new Map<StateKey, number>();
  #stateBytes = 0;
  /** Scratch: instructions that were visited, and that are to be visited. */
  readonly #met: Uint32Array;
  readonly #found: Uint32Array;
  readonly #stack: number[] = [];
  readonly #start: StateKey;
  #work = 0;

  /** States take `bytesMax` bytes, or what one of them takes. */
  constructor(program: PatternProgram, bytesMax: number) {
    const { alphabet, ops, asks, isAnchored, start } = program;
    this.#program = program;
    this.#bytesMax = bytesMax;
    this.#stride = alphabet.classCount + 1;
    this.#table = new Int32Array(2 * this.#stride);
    const { bounds, classes } = alphabet;
    this.#classes = Uint32Array.from({ length: TABLE_END }, (_, i) => classes[placeOf(bounds, i)]);
    this.#met = new Uint32Array(Math.ceil(ops.length / 32));
    this.#found = new Uint32Array(this.#met.length);
    const before = asks.start ? AROUND.edge : AROUND.other;
    this.#start = String.fromCharCode(before, ...(isAnchored ? [start] : []));
  }

  /** States that are remembered. */
  get stateCount(): number {
    return this.#keys.length - 1;
  }

  /** Bytes that they take. */
  get bytes(): number {
    return this.#stateBytes + 4 * this.#table.length;
  }

  /** Lookups in all texts; a state that has to be made counts as one for each instruction. */
  get work(): number {
    return this.#work;
  }

  /** Begins to read a text. */
  begin(text: string): TextScan {
    return { text, at: 0, state: this.#start };
  }

  /** Reads on until it is known whether the pattern matches; undefined after `workMax` lookups. */
  advance(scan: TextScan, workMax: number): boolean | undefined {
    const { text } = scan;
    let state = this.#numberOf(scan.state);
    let { at } = scan;
    const end = this.#work + workMax;
    while (this.#work < end) {
      const isAtEnd = at >= text.length;
      const codePoint = isAtEnd ? -1 : codePointAt(text, at);
      const one = isAtEnd ? this.#stride - 1 : this.#classOf(codePoint);
      const known = this.#table[state * this.#stride + one];
      const to = known === UNKNOWN ? this.#make(state, one, codePoint) : known;
      this.#work++;
      if (to < 0) return to === MATCHED;
      state = to;
      at += unitsOf(codePoint);
    }
    scan.at = at;
    scan.state = this.#keys[state];
    return undefined;
  }

  #classOf(codePoint: number): number {
    if (codePoint < TABLE_END) return this.#classes[codePoint];
    const { bounds, classes } = this.#program.alphabet;
    return classes[placeOf(bounds, codePoint)];
  }

  /** Finds where a state leads, and remembers it. */
  #make(state: number, one: number, codePoint: number): number {
    const key = this.#keys[state];
    const to = this.#follow(key, codePoint);
    if (typeof to === "number") {
      this.#table[state * this.#stride + one] = to;
      return to;
    }
    const number = this.#numberOf(to);
    // Unless the state itself was forgotten for it.
    if (this.#keys[state] === key) this.#table[state * this.#stride + one] = number;
    return number;
  }

  /** The number of a state, which is made if it is new. */
  #numberOf(key: StateKey): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const bytes = STATE_BYTES + 2 * key.length;
    const wanted = this.#stateBytes + bytes + 4 * this.#lengthWith(this.#keys.length);
    if (wanted > this.#bytesMax) this.#forget();
    const number = this.#keys.length;
    this.#keys.push(key);
    this.#numbers.set(key, number);
    this.#stateBytes += bytes;
    this.#table = withRoom(this.#table, this.#lengthWith(number));
    return number;
  }

  /** Transitions that the table has once it has a row for a state. */
  #lengthWith(number: number): number {
    const { length } = this.#table;
    return (number + 1) * this.#stride <= length ? length : 2 * length;
  }

  #forget(): void {
    this.#table.fill(UNKNOWN);
    this.#keys.length = 1;
    this.#numbers.clear();
    this.#stateBytes = 0;
  }

  /** Returns the state that follows after a code point, or at the end of the text (-1). */
  #follow(key: StateKey, codePoint: number): StateKey | typeof MATCHED | typeof NEVER {
    const { isAnchored, next } = this.#program;
    const behind = this.#aroundOf(codePoint);
    if (this.#reachesMatch(key, behind)) return MATCHED;
    if (codePoint < 0) return NEVER;
    const found = this.#found.fill(0);
    let isEmpty = true;
    for (let word = 0; word < this.#met.length; word++) {
      for (let bits = this.#met[word]; bits !== 0; bits &= bits - 1) {
        const at = 32 * word + 31 - Math.clz32(bits & -bits);
        if (!this.#takes(at, codePoint)) continue;
        found[next[at] >>> 5] |= 1 << (next[at] & 31);
        isEmpty = false;
      }
    }
    return isAnchored && isEmpty ? NEVER : keyOf(behind, found);
  }

  /**
   * Follows the instructions of a state to all that are reached without a character. Returns true
   * if one of them ends the program.
   */
  #reachesMatch(key: StateKey, behind: number): boolean {
    const { ops, a, next, start, isAnchored } = this.#program;
    const before = key.charCodeAt(0);
    const met = this.#met.fill(0);
    const stack = this.#stack;
    stack.length = 0;
    for (let i = 1; i < key.length; i++) stack.push(key.charCodeAt(i));
    if (!isAnchored) stack.push(start);
    this.#work += MAKE_WORK + 2 * met.length + key.length;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const bit = 1 << (at & 31);
      if ((met[at >>> 5] & bit) !== 0) continue;
      met[at >>> 5] |= bit;
      this.#work++;
      const op = ops[at];
      if (op === OPS.match) return true;
      if (op === OPS.split) stack.push(a[at], next[at]);
      else if (op === OPS.place && isThere(a[at], before, behind)) stack.push(next[at]);
    }
    return false;
  }

  #takes(at: number, codePoint: number): boolean {
    const { ops, a, b, ranges, setStarts } = this.#program;
    if (ops[at] === OPS.range) return a[at] <= codePoint && codePoint <= b[at];
    if (ops[at] !== OPS.set) return false;
    return isInSet(ranges.subarray(setStarts[a[at]], setStarts[a[at] + 1]), codePoint);
  }

  /** Returns the `AROUND` of a code point, for places next to it. */
  #aroundOf(codePoint: number): number {
    const { lines, words } = this.#program.asks;
    if (codePoint < 0) return AROUND.edge;
    if (lines && codePoint === 0x0a) return AROUND.newline;
    return words && WORD.test(String.fromCodePoint(codePoint)) ? AROUND.word : AROUND.other;
  }
}

/** The same characters as `\w` of patterns has. */
const WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

function keyOf(before: number, found: Uint32Array): StateKey {
  let key = String.fromCharCode(before);
  let units: number[] = [];
  for (let word = 0; word < found.length; word++) {
    for (let bits = found[word]; bits !== 0; bits &= bits - 1) {
      units.push(32 * word + 31 - Math.clz32(bits & -bits));
    }
    if (units.length < UNITS_AT_ONCE) continue;
    key += String.fromCharCode(...units);
    units = [];
  }
  return key + String.fromCharCode(...units);
}

/** Checks whether a position between two kinds of characters is such a place. */
function isThere(place: number, before: number, behind: number): boolean {
  const [isBefore, isBehind] = [before === AROUND.word, behind === AROUND.word];
  switch (PLACES[place]) {
    case "text_start":
      return before === AROUND.edge;
    case "text_end":
      return behind === AROUND.edge;
    case "line_start":
      return before === AROUND.edge || before === AROUND.newline;
    case "line_end":
      return behind === AROUND.edge || behind === AROUND.newline;
    case "word_boundary":
      return isBefore !== isBehind;
    case "no_word_boundary":
      return isBefore === isBehind;
    case "word_start":
      return !isBefore && isBehind;
    case "word_end":
      return isBefore && !isBehind;
    case "no_word_before":
      return !isBefore;
    case "no_word_behind":
      return !isBehind;
    default:
      return false;
  }
}
