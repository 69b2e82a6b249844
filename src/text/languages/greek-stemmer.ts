/** The Snowball stemmer for Greek, which the stemmer package lacks. */
import { GREEK_RULES, type GreekRepair, type GreekRule } from "./greek-stem-table.ts";

interface CompiledRepair {
  readonly whole: ReadonlySet<string> | undefined;
  readonly tails: Endings | undefined;
  readonly drop: number;
  readonly add: string;
}

interface CompiledRule {
  readonly cut: Endings;
  readonly keepsEnding: boolean;
  readonly plain: boolean;
  readonly repairs: readonly CompiledRepair[];
}

/** Shorter words lose their accents only. */
const WORD_LENGTH_MIN = 3;

const ACCENTED = "άέήίόύώΐΰϊϋς";
/** As in Snowball, iota with dialytika becomes eta. */
const PLAIN = "αεηιουωηυηυσ";

/** A set of endings, searched from the longest down. */
class Endings {
  readonly #words: ReadonlySet<string>;
  readonly #lengthMax: number;

  constructor(list: string) {
    const words = list.split(" ");
    this.#words = new Set(words);
    this.#lengthMax = Math.max(...words.map((word) => word.length));
  }

  /** Length of the longest ending that `word` has, or -1. */
  find(word: string): number {
    for (let length = Math.min(this.#lengthMax, word.length); length >= 0; length--) {
      if (this.#words.has(word.slice(word.length - length))) return length;
    }
    return -1;
  }
}

const RULES: readonly CompiledRule[] = GREEK_RULES.map(compileRule);

/** Stems a lower-case Greek word; the result has no accents and no final sigma. */
export function stemGreek(word: string): string {
  let stem = "";
  for (const character of word) {
    const index = ACCENTED.indexOf(character);
    stem += index < 0 ? character : PLAIN[index];
  }
  if (stem.length < WORD_LENGTH_MIN) return stem;
  let hasEnding = true;
  for (const rule of RULES) {
    if (rule.plain && !hasEnding) continue;
    const length = rule.cut.find(stem);
    if (length < 0) continue;
    if (!rule.keepsEnding) hasEnding = false;
    stem = repair(stem.slice(0, stem.length - length), rule.repairs);
  }
  return stem;
}

function repair(rest: string, repairs: readonly CompiledRepair[]): string {
  for (const { whole, tails, drop, add } of repairs) {
    const applies = whole?.has(rest) || (tails !== undefined && tails.find(rest) >= 0);
    if (applies) return rest.slice(0, rest.length - drop) + add;
  }
  return rest;
}

function compileRule(rule: GreekRule): CompiledRule {
  return {
    cut: new Endings(rule.cut),
    keepsEnding: rule.keepsEnding === true,
    plain: rule.plain === true,
    repairs: rule.repairs.map(compileRepair),
  };
}

function compileRepair({ whole, tails, drop, add }: GreekRepair): CompiledRepair {
  return {
    whole: whole === undefined ? undefined : new Set(whole.split(" ")),
    tails: tails === undefined ? undefined : new Endings(tails),
    drop: drop ?? 0,
    add,
  };
}
