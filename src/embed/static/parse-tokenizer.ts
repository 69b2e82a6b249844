/**
 * Reads a tokenizer.json of HF's tokenizers, as far as static models need it: how a text is
 * normalized, cut into words, and made of tokens. What would give other tokens than there is
 * refused, never passed over. Special tokens are not looked for in texts: who writes "[SEP]" gets
 * its letters.
 */

import { invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { isRecord, type JsonRecord, parseRecord, quoted, textOf } from "../json-record.ts";
import { textNormalizer } from "./text-normalizer.ts";
import { textSplitter } from "./text-splitter.ts";
import { type TokenModel, WordLevel } from "./token-model.ts";
import { Unigram } from "./unigram.ts";
import { WordPiece } from "./word-piece.ts";

/** Tokens of a vocabulary; our choice: above the largest multilingual models' half a million. */
const VOCABULARY_MAX = 1_000_000;
/** UTF-16 units of a text between two pauses: some milliseconds at most, mostly under one. */
const STEP_UNITS = 1024;

/** Makes tokens of texts. */
export interface Tokenizer {
  /** The first so many tokens of a text, by number; those that are unknown are left out. */
  tokensOf(text: string, countMax: number): Steps<number[]>;
  /** One more than the greatest number of a token. */
  readonly tokensMax: number;
}

/** Parses the text of a tokenizer.json. Throws `invalid`, which says what is not known. */
export function parseTokenizer(text: string): Tokenizer {
  const json = parseRecord(text, "it");
  const normalize = textNormalizer(json.normalizer);
  const split = textSplitter(json.pre_tokenizer);
  const { model, tokensMax } = tokenModel(json.model);
  return {
    tokensMax,
    *tokensOf(text, countMax) {
      const tokens: number[] = [];
      const words = split(normalize(text));
      let units = 0;
      for (let i = 0; i < words.length && tokens.length < countMax; i++) {
        model.addTokens(words[i], tokens);
        units += words[i].length;
        if (units < STEP_UNITS) continue;
        units = 0;
        yield;
      }
      return tokens.slice(0, countMax);
    },
  };
}

function tokenModel(json: unknown): { readonly model: TokenModel; readonly tokensMax: number } {
  if (!isRecord(json)) throw invalid("`model` must be an object");
  switch (json.type) {
    case "WordPiece": {
      const { vocabulary, tokensMax } = vocabularyOf(json);
      const prefix = textOf(json, "continuing_subword_prefix", "the WordPiece model");
      const wordCharsMax = wholeNumber(json, "max_input_chars_per_word");
      withoutUnknown(vocabulary, json);
      return { model: new WordPiece({ vocabulary, wordCharsMax, prefix }), tokensMax };
    }
    case "WordLevel": {
      const { vocabulary, tokensMax } = vocabularyOf(json);
      withoutUnknown(vocabulary, json);
      return { model: new WordLevel(vocabulary), tokensMax };
    }
    case "Unigram":
      return unigramModel(json);
    default:
      throw invalid(
        `model ${quoted(json.type)} is not known; known are Unigram, WordLevel and WordPiece`,
      );
  }
}

function vocabularyOf({ vocab }: JsonRecord) {
  if (!isRecord(vocab)) throw invalid("`vocab` of the model must be an object");
  const vocabulary = new Map(Object.entries(vocab)) as Map<string, number>;
  checkSize(vocabulary.size);
  let tokensMax = 0;
  for (const [piece, token] of vocabulary) {
    if (!Number.isInteger(token) || token < 0 || token >= VOCABULARY_MAX) {
      throw invalid(`token ${quoted(piece)} has the number ${quoted(token)}`);
    }
    tokensMax = Math.max(tokensMax, token + 1);
  }
  return { vocabulary, tokensMax };
}

/** Unknown tokens are left out of means, as model2vec does. */
function withoutUnknown(vocabulary: Map<string, number>, { unk_token: unknown }: JsonRecord): void {
  if (typeof unknown === "string") vocabulary.delete(unknown);
}

function unigramModel(json: JsonRecord) {
  const { vocab, byte_fallback: fallsBack } = json;
  if (fallsBack === true) {
    throw invalid("a Unigram model with `byte_fallback` is not known; make it without");
  }
  if (!Array.isArray(vocab)) throw invalid("`vocab` of a Unigram model must be a list");
  checkSize(vocab.length);
  const pieces = vocab.map((entry: unknown, i): readonly [string, number] => {
    if (Array.isArray(entry) && typeof entry[0] === "string" && Number.isFinite(entry[1])) {
      return [entry[0], entry[1]];
    }
    throw invalid(`entry ${i} of \`vocab\` is ${quoted(entry)}, not [piece, score]`);
  });
  const unknown = wholeNumber(json, "unk_id");
  return { model: new Unigram({ pieces, unknown }), tokensMax: pieces.length };
}

function checkSize(count: number): void {
  if (count === 0 || count > VOCABULARY_MAX) {
    throw invalid(`\`vocab\` has ${count} tokens; it may have 1 to ${VOCABULARY_MAX}`);
  }
}

/** A member that is a whole number from 0 on, if it is there. */
function wholeNumber(json: JsonRecord, name: string): number | undefined {
  const value = json[name];
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(`\`${name}\` of the model must be a whole number, was ${quoted(value)}`);
}
