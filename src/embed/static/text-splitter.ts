/** How a tokenizer cuts a text into words before its model sees them, as HF's pre-tokenizers. */

import { invalid } from "../../base/errors.ts";
import { isRecord, type JsonRecord, quoted } from "../json-record.ts";

/** Cuts a text into words; what is between them is dropped. */
export type TextSplitter = (text: string) => readonly string[];

/** Depth of sequences in sequences; those of real models have one. */
const DEPTH_MAX = 2;
/** Parts of a sequence; those of real models have some three. */
const PARTS_MAX = 16;
/** What BERT takes for punctuation: Unicode's, and all of ASCII's that is no letter or digit. */
const BERT_WORD = /[!-/:-@[-`{-~\p{P}]|[^\p{White_Space}!-/:-@[-`{-~\p{P}]+/gu;

/** Rust's `\w+|[^\w\s]+`. */
const WORD_OR_SIGNS =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

/** Makes a splitter of its part of a tokenizer.json. Throws `invalid` for what is not known. */
export function textSplitter(json: unknown, depth = 0): TextSplitter {
  if (json === null || json === undefined) return (text) => (text === "" ? [] : [text]);
  if (!isRecord(json)) throw invalid("`pre_tokenizer` must be an object or null");
  switch (json.type) {
    case "BertPreTokenizer":
      return (text) => text.match(BERT_WORD) ?? [];
    case "Whitespace":
      return (text) => text.match(WORD_OR_SIGNS) ?? [];
    case "WhitespaceSplit":
      return (text) => text.match(/\P{White_Space}+/gu) ?? [];
    case "Metaspace":
      return metaspace(json);
    case "Sequence":
      return sequence(json, depth);
    default:
      throw invalid(
        `pre-tokenizer ${quoted(json.type)} is not known; known are BertPreTokenizer, ` +
          "Metaspace, Sequence, Whitespace and WhitespaceSplit",
      );
  }
}

function sequence({ pretokenizers }: JsonRecord, depth: number): TextSplitter {
  if (!Array.isArray(pretokenizers) || pretokenizers.length > PARTS_MAX || depth >= DEPTH_MAX) {
    throw invalid(
      `a Sequence of pre-tokenizers must be a list of at most ${PARTS_MAX}, ${DEPTH_MAX} deep`,
    );
  }
  const parts = pretokenizers.map((part: unknown) => textSplitter(part, depth + 1));
  return (text) => parts.reduce<readonly string[]>((words, part) => words.flatMap(part), [text]);
}

/** Spaces become a mark, which begins each word; `prepend_scheme` says whether the first one. */
function metaspace(json: JsonRecord): TextSplitter {
  const { replacement: mark = "▁", split: splits = true } = json;
  const scheme = json.prepend_scheme ?? (json.add_prefix_space === false ? "never" : "always");
  if (typeof mark !== "string" || [...mark].length !== 1) {
    throw invalid("`replacement` of a Metaspace pre-tokenizer must be one character");
  }
  return (text) => {
    if (text === "") return [];
    const marked = text.replaceAll(" ", mark);
    const whole = scheme === "never" || marked.startsWith(mark) ? marked : mark + marked;
    if (splits === false) return [whole];
    const words = whole.split(mark);
    const rest = words.slice(1).map((word) => mark + word);
    return words[0] === "" ? rest : [words[0], ...rest];
  };
}
