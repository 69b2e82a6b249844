/**
 * The program of a pattern: a nondeterministic automaton (Thompson, Regular expression search
 * algorithm, 1968) as arrays, so that it is small and may be sent to another thread.
 */

import type { Steps } from "../../base/steps.ts";
import { type CharacterSet, CODE_POINT_MAX } from "./character-set.ts";
import { perlClass } from "./named-characters.ts";
import { isAnchored, type PatternTree, type Place } from "./pattern-tree.ts";

/** The instructions; the operand is `a`, with `b` for ranges. */
export const OPS = {
  /** Ends: the pattern matches. */
  match: 0,
  /** Takes a code point from `a` to `b`. */
  range: 1,
  /** Takes a code point of the set with the number `a`. */
  set: 2,
  /** Continues if the place with the number `a` is here. */
  place: 3,
  /** Continues at `a` as well. */
  split: 4,
} as const;

/** Places in the order of their numbers. */
export const PLACES: readonly Place[] = [
  "text_start",
  "text_end",
  "line_start",
  "line_end",
  "word_boundary",
  "no_word_boundary",
  "word_start",
  "word_end",
  "no_word_before",
  "no_word_behind",
];

/** A program. */
export interface PatternProgram {
  readonly ops: Uint8Array;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** The instruction behind each. */
  readonly next: Uint32Array;
  readonly start: number;
  /** All matches begin at the start of the text. */
  readonly isAnchored: boolean;
  /** Ranges of the sets, end to end. */
  readonly ranges: Uint32Array;
  /** Index of the first range of each set, and the end of the last one. */
  readonly setStarts: Uint32Array;
  readonly alphabet: Alphabet;
  /** Places ask for what lies around them. */
  readonly asks: { readonly start: boolean; readonly lines: boolean; readonly words: boolean };
}

/** Classes of code points; no instruction distinguishes code points of one class. */
export interface Alphabet {
  /** First code points of all classes' ranges but the first; ascending. */
  readonly bounds: Uint32Array;
  /** The class of the code points before the first bound, and from each bound on. */
  readonly classes: Uint32Array;
  readonly classCount: number;
}

/** Instructions that are written between two pauses, in some 50 ns each. */
const INSTRUCTIONS_PER_STEP = 2048;
/** Ranges that are split into classes between two pauses, in some 10 ns each. */
const RANGES_PER_STEP = 8192;
/** Bytes of an instruction. */
const INSTRUCTION_BYTES = 13;

/** Writes the program of a tree, in steps. It has `tree.size + 1` instructions. */
export function* compilePattern(tree: PatternTree): Steps<PatternProgram> {
  const writer = new ProgramWriter(tree.size + 1);
  const start = yield* writer.write(tree);
  return yield* writer.finish(start, isAnchored(tree));
}

/** Bytes of a program. */
export function programBytes({ ops, ranges, setStarts, alphabet }: PatternProgram): number {
  const { bounds, classes } = alphabet;
  const numbers = ranges.length + setStarts.length + bounds.length + classes.length;
  return INSTRUCTION_BYTES * ops.length + 4 * numbers;
}

/** Writes instructions from the last to the first, so that each knows what is behind it. */
class ProgramWriter {
  readonly #ops: Uint8Array;
  readonly #a: Uint32Array;
  readonly #b: Uint32Array;
  readonly #next: Uint32Array;
  #count = 0;
  /** Instructions since the last pause. */
  #written = 0;
  readonly #sets = new Map<CharacterSet, number>();
  readonly #places = new Set<Place>();

  constructor(size: number) {
    this.#ops = new Uint8Array(size);
    this.#a = new Uint32Array(size);
    this.#b = new Uint32Array(size);
    this.#next = new Uint32Array(size);
  }

  write(tree: PatternTree): Steps<number> {
    return this.#write(tree, this.#add(OPS.match, 0));
  }

  /** Writes instructions that match a tree and continue at `next`; returns the first one. */
  *#write(tree: PatternTree, next: number): Steps<number> {
    if (this.#written >= INSTRUCTIONS_PER_STEP) {
      this.#written = 0;
      yield;
    }
    switch (tree.kind) {
      case "characters":
        return this.#addSet(tree.set, next);
      case "place":
        this.#places.add(tree.place);
        return this.#add(OPS.place, next, PLACES.indexOf(tree.place));
      case "concatenation": {
        let start = next;
        for (const part of tree.parts.toReversed()) start = yield* this.#write(part, start);
        return start;
      }
      case "choice": {
        let start = yield* this.#write(tree.parts[0], next);
        for (const part of tree.parts.slice(1)) {
          start = this.#add(OPS.split, yield* this.#write(part, next), start);
        }
        return start;
      }
      case "repeat":
        return yield* this.#writeRepeat(tree, next);
    }
  }

  *#writeRepeat(
    { part, min, max }: Extract<PatternTree, { kind: "repeat" }>,
    next: number,
  ): Steps<number> {
    let start = next;
    let required = min;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.#add(OPS.split, 0, next);
      const body = yield* this.#write(part, loop);
      this.#next[loop] = body;
      start = min === 0 ? loop : body;
      required = Math.max(0, min - 1);
    } else {
      for (let i = min; i < max; i++) {
        start = this.#add(OPS.split, yield* this.#write(part, start), next);
      }
    }
    for (let i = 0; i < required; i++) start = yield* this.#write(part, start);
    return start;
  }

  #addSet(set: CharacterSet, next: number): number {
    const known = this.#sets.get(set);
    const number = known ?? this.#sets.size;
    if (known === undefined) this.#sets.set(set, number);
    return set.length === 2
      ? this.#add(OPS.range, next, set[0], set[1])
      : this.#add(OPS.set, next, number);
  }

  #add(op: number, next: number, ...[a = 0, b = 0]: number[]): number {
    const at = this.#count++;
    this.#ops[at] = op;
    this.#next[at] = next;
    this.#a[at] = a;
    this.#b[at] = b;
    this.#written++;
    return at;
  }

  *finish(start: number, anchored: boolean): Steps<PatternProgram> {
    const sets = [...this.#sets.keys()];
    const setStarts = new Uint32Array(sets.length + 1);
    for (const [i, set] of sets.entries()) setStarts[i + 1] = setStarts[i] + set.length;
    const ranges = new Uint32Array(setStarts[sets.length]);
    for (const [i, set] of sets.entries()) ranges.set(set, setStarts[i]);
    const places = [...this.#places].join();
    const asks = {
      start: /text_start|line_start/.test(places),
      lines: places.includes("line_"),
      words: places.includes("word"),
    };
    yield;
    const told = [
      ...sets,
      ...(asks.lines ? [Uint32Array.of(0x0a, 0x0a)] : []),
      ...(asks.words ? [perlClass("w")] : []),
    ];
    const alphabet = yield* alphabetOf(told);
    return {
      ...{ ops: this.#ops, a: this.#a, b: this.#b, next: this.#next, start },
      ...{ isAnchored: anchored, ranges, setStarts, alphabet, asks },
    };
  }
}

/** Computes classes that no set splits, by partition refinement. */
function* alphabetOf(sets: readonly CharacterSet[]): Steps<Alphabet> {
  const bounds = yield* boundsOf(sets);
  const classes = new Uint32Array(bounds.length + 1);
  let classCount = 1;
  let work = 0;
  for (const set of sets) {
    const refined = new Map<number, number>();
    for (let i = 0; i < set.length; i += 2) {
      for (let at = placeOf(bounds, set[i]); at <= bounds.length; at++) {
        if (at > 0 && bounds[at - 1] > set[i + 1]) break;
        const within = refined.get(classes[at]) ?? classCount++;
        refined.set(classes[at], within);
        classes[at] = within;
        work++;
      }
    }
    if (++work < RANGES_PER_STEP) continue;
    work = 0;
    yield;
  }
  const numbers = new Map<number, number>();
  const numbered = Uint32Array.from(classes, (one) => {
    const number = numbers.get(one) ?? numbers.size;
    numbers.set(one, number);
    return number;
  });
  return { bounds, classes: numbered, classCount: numbers.size };
}

function* boundsOf(sets: readonly CharacterSet[]): Steps<Uint32Array> {
  const bounds = new Set<number>();
  let work = 0;
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) {
      bounds.add(set[i]);
      bounds.add(set[i + 1] + 1);
    }
    work += set.length + 1;
    if (work < RANGES_PER_STEP) continue;
    work = 0;
    yield;
  }
  bounds.delete(0);
  bounds.delete(CODE_POINT_MAX + 1);
  return Uint32Array.from(bounds).sort();
}

/** Counts the bounds that are at most the code point. */
export function placeOf(bounds: Uint32Array, codePoint: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle] <= codePoint) low = middle + 1;
    else high = middle;
  }
  return low;
}
