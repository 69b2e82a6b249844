import { describe, expect, test } from "vitest";
import { isDatabaseError } from "../../base/errors.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { parseTokenizer } from "./parse-tokenizer.ts";

/** The tokens' numbers of a text. */
function tokens(json: object, text: string): number[] {
  return runSteps(parseTokenizer(JSON.stringify(json)).tokensOf(text, 100));
}

const BERT = {
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
};

function wordPiece(pieces: readonly string[]) {
  const vocab = Object.fromEntries(pieces.map((piece, token) => [piece, token]));
  return {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab,
  };
}

test("a BERT tokenizer takes the longest pieces, without case and accents", () => {
  const pieces = ["[UNK]", "un", "##aff", "##able", "cafe", ",", "東", "京", "##a", "new"];
  const model = wordPiece(pieces);
  const spelled = (text: string) => tokens({ ...BERT, model }, text).map((t) => pieces[t]);
  expect(spelled("Unaffable, café")).toEqual(["un", "##aff", "##able", ",", "cafe"]);
  expect(spelled("東京")).toEqual(["東", "京"]);
  expect(spelled("new\u0000\tnew\u00a0zzz unz")).toEqual(["new", "new"]);
  expect(spelled("[UNK]")).toEqual([]);
  expect(spelled("")).toEqual([]);
  expect(spelled(`${"a".repeat(101)} new`)).toEqual(["new"]);
});

/** WordPiece as one would explain it: try all ends from the last one on. */
function naiveWordPiece(word: string, pieces: readonly string[]): number[] {
  const found: number[] = [];
  let rest = word;
  while (rest !== "") {
    const prefix = rest === word ? "" : "##";
    const ends = [...rest].map((_, i) => rest.length - i);
    const end = ends.find((length) => pieces.includes(prefix + rest.slice(0, length)));
    if (end === undefined) return [];
    found.push(pieces.indexOf(prefix + rest.slice(0, end)));
    rest = rest.slice(end);
  }
  return found;
}

/** All ways to cut a text, the likeliest of which is wanted. */
function* allCuts(
  text: string,
  pieces: readonly [string, number][],
): Generator<[number[], number]> {
  if (text === "") yield [[], 0];
  for (const [token, [piece, score]] of pieces.entries()) {
    if (piece === "" || !text.startsWith(piece)) continue;
    for (const [rest, sum] of allCuts(text.slice(piece.length), pieces)) {
      yield [[token, ...rest], score + sum];
    }
  }
}

function randomWord(random: Random, max: number): string {
  return Array.from({ length: 1 + random.below(max) }, () => "abc"[random.below(3)]).join("");
}

test("random words have the same pieces as in a naive twin", () => {
  const seed = 11;
  const random = seededRandom(seed);
  for (let round = 0; round < 300; round++) {
    const drawn = Array.from(
      { length: 12 },
      () => (random.below(2) ? "##" : "") + randomWord(random, 4),
    );
    const pieces = ["[UNK]", ...new Set(drawn)];
    const word = randomWord(random, 9);
    const found = tokens({ ...BERT, model: wordPiece(pieces) }, word);
    expect([seed, word, pieces, found]).toEqual([seed, word, pieces, naiveWordPiece(word, pieces)]);
  }
});

test("random texts are cut into the likeliest pieces, as a naive twin finds them", () => {
  const seed = 12;
  const random = seededRandom(seed);
  for (let round = 0; round < 300; round++) {
    const words = ["a", "b", "c", ...Array.from({ length: 6 }, () => randomWord(random, 4))];
    // No two cuts are as likely, since scores are drawn at random.
    const vocab = [...new Set(words)].map((word): [string, number] => [word, -random.next() * 8]);
    const text = randomWord(random, 8);
    const model = { type: "Unigram", unk_id: null, vocab };
    const [best] = [...allCuts(text, vocab)].sort((x, y) => y[1] - x[1]);
    expect([seed, text, tokens({ model }, text)]).toEqual([seed, text, best[0]]);
  }
});

describe("a Unigram tokenizer", () => {
  const model = {
    type: "Unigram",
    unk_id: 0,
    vocab: [
      ["<unk>", 0],
      ["▁fish", -3],
      ["▁", -4],
      ["fish", -4],
      ["ing", -3],
      ["▁fishing", -9],
    ],
  };
  const space = { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true };

  test("marks where words begin, and leaves out what it does not know", () => {
    const json = { pre_tokenizer: space, model };
    expect(tokens(json, "fishing fish")).toEqual([1, 4, 1]);
    expect(tokens(json, "x😀fish")).toEqual([2, 3]);
    const unmarked = { ...json, pre_tokenizer: { ...space, prepend_scheme: "never" } };
    expect(tokens(unmarked, "fish fish")).toEqual([3, 1]);
  });

  test("spells by a table of SentencePiece", () => {
    // A double array of one key, "ﬁ" (EF AC 81), whose value is the place of "fi".
    const units = new Uint32Array(0x400);
    const child = (at: number, byte: number, offset: number, leaf = 0) => {
      units[at ^ byte] = ((offset << 10) | (leaf << 8) | byte) >>> 0;
      return at ^ byte ^ offset;
    };
    units[0] = 0x100 << 10;
    const first = child(0x100, 0xef, 0x1);
    const second = child(first, 0xac, 0x2);
    const third = child(second, 0x81, 0x4, 1);
    units[third] = 0x80000000;
    const trie = Buffer.from(units.buffer);
    const length = Buffer.from(Uint32Array.of(trie.length).buffer);
    const charsmap = Buffer.concat([length, trie, Buffer.from("fi\0")]).toString("base64");
    const normalizer = { type: "Precompiled", precompiled_charsmap: charsmap };
    expect(tokens({ normalizer, pre_tokenizer: space, model }, "ﬁsh")).toEqual([1]);
  });
});

describe("a hostile tokenizer", () => {
  const long = "a".repeat(32_768);

  test("cannot make a text grow without end", () => {
    const doubling = { type: "Replace", pattern: { String: "a" }, content: "aa" };
    const normalizer = { type: "Sequence", normalizers: new Array(16).fill(doubling) };
    const model = { type: "Unigram", vocab: [["a", -1]] };
    expect(tokens({ normalizer, model }, long)).toHaveLength(100);
  });

  test("cannot make a long word take time without end", () => {
    // Each place of the word is the beginning of a piece of one character alone.
    const pieces = ["a", "##a", `${"a".repeat(30_000)}b`];
    const model = { ...wordPiece(pieces), max_input_chars_per_word: 1e9 };
    expect(tokens({ model }, long)).toHaveLength(100);
  });
});

/** A table of SentencePiece whose one spelling is so long. */
function charsmap(spelling: string): string {
  const head = Buffer.from(Uint32Array.of(4, 0).buffer);
  return Buffer.concat([head, Buffer.from(`${spelling}\0`)]).toString("base64");
}

const LOWERCASE = { type: "Lowercase" };
const SPLIT = { type: "WhitespaceSplit" };

test.each([
  [
    { normalizer: { type: "Sequence", normalizers: new Array(17).fill(LOWERCASE) } },
    "a Sequence of normalizers must be a list of at most 16",
  ],
  [
    { pre_tokenizer: { type: "Sequence", pretokenizers: new Array(17).fill(SPLIT) } },
    "a Sequence of pre-tokenizers must be a list of at most 16",
  ],
  [
    { normalizer: { type: "Replace", pattern: { String: "a" }, content: "b".repeat(65) } },
    "`content` of a Replace normalizer has 65 characters; at most 64 are known",
  ],
  [
    { normalizer: { type: "Prepend", prepend: "b".repeat(65) } },
    "`prepend` of a Prepend normalizer has 65 characters; at most 64 are known",
  ],
  [
    { normalizer: { type: "Precompiled", precompiled_charsmap: charsmap("b".repeat(256)) } },
    "`precompiled_charsmap` has a spelling of 256 bytes; at most 255 are known",
  ],
])("refuses what would make a text much longer, %#", (json, message) => {
  const text = JSON.stringify({ ...json, model: wordPiece(["a"]) });
  expect(() => parseTokenizer(text)).toThrow(message);
});

test.each([
  `{"model":{"type":"Unigram","vocab":[["${"a".repeat(100_000)}"]]}}`,
  `{"model":{"type":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
])("quotes no more of a file than fits a line", (text) => {
  let error: unknown;
  try {
    parseTokenizer(text);
  } catch (thrown) {
    error = thrown;
  }
  expect([isDatabaseError(error, "invalid"), String(error).length < 300]).toEqual([true, true]);
});

test.each([
  ["[]", "it must be a JSON object"],
  ["{", "it is no JSON"],
  [{}, "`model` must be an object"],
  [{ model: { type: "BPE" } }, 'model "BPE" is not known; known are Unigram'],
  [{ model: { type: "WordLevel", vocab: [] } }, "`vocab` of the model must be an object"],
  [{ model: { type: "WordLevel", vocab: {} } }, "`vocab` has 0 tokens"],
  [{ model: { type: "WordLevel", vocab: { a: -1 } } }, 'token "a" has the number -1'],
  [{ model: { type: "WordLevel", vocab: { a: 1e9 } } }, 'token "a" has the number 1000000000'],
  [{ model: { type: "Unigram", vocab: [["a"]] } }, 'entry 0 of `vocab` is ["a"]'],
  [{ model: { type: "Unigram", vocab: [["a", 0]], byte_fallback: true } }, "`byte_fallback`"],
  [{ model: wordPiece(["a"]), normalizer: { type: "Nmt" } }, 'normalizer "Nmt" is not known'],
  [{ model: wordPiece(["a"]), pre_tokenizer: { type: "ByteLevel" } }, '"ByteLevel" is not known'],
  [
    { model: wordPiece(["a"]), normalizer: { type: "Replace", pattern: { Regex: "(a+)+b" } } },
    "needs `pattern` and `content`",
  ],
  [
    {
      model: wordPiece(["a"]),
      normalizer: { type: "Replace", pattern: { Regex: "(a+)+b" }, content: "" },
    },
    'a Replace normalizer has the pattern {"Regex":"(a+)+b"}',
  ],
  [
    { model: wordPiece(["a"]), normalizer: { type: "Precompiled", precompiled_charsmap: "AAAA" } },
    "`precompiled_charsmap` has 3 bytes",
  ],
])("refuses %j", (json, message) => {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  expect(() => parseTokenizer(text)).toThrow(message);
});
