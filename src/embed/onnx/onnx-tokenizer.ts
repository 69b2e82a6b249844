import { invalid } from "../../base/errors.ts";
import { cutText } from "../cut-texts.ts";
import type { OnnxFolder } from "./onnx-folder.ts";
import type { OnnxPackages, OnnxTextEncoder } from "./onnx-packages.ts";

/** Members of tokenizer.json that the package reads; where one is missing, nothing is done. */
const PARTS = ["normalizer", "pre_tokenizer", "post_processor", "decoder"];
/**
 * UTF-16 units of a text that are looked at for each token that counts; our choice, some times as
 * many as languages have. For some tokenizers time rises with the square of a text without spaces.
 */
const UNITS_PER_TOKEN = 16;
/** Words of a vocabulary that are tried for a text that has tokens. */
const PROBES_MAX = 64;

/**
 * Texts to numbers of tokens, as the model's maker has it, but for texts that are too long: these
 * lose what is behind the greatest length, and keep the special tokens at their end.
 */
export class OnnxTokenizer {
  /** Greatest number of a token. */
  readonly tokenMax: number;
  readonly #encoder: OnnxTextEncoder;
  readonly #tokensMax: number;
  /** Special tokens behind a text. */
  readonly #ending: readonly number[];

  /** Throws `invalid`, which names the file. */
  constructor(folder: OnnxFolder, packages: Pick<OnnxPackages, "openTokenizer">) {
    try {
      this.#encoder = packages.openTokenizer(completed(folder), folder.tokenizerConfig);
      const vocabulary = this.#encoder.get_vocab(true);
      let greatest = -1;
      for (const token of vocabulary.values()) greatest = Math.max(greatest, token);
      this.tokenMax = greatest;
      this.#ending = this.#findEnding([...vocabulary.keys()].slice(0, PROBES_MAX));
      this.#tokensMax = Math.max(folder.tokensMax, this.#ending.length + 1);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      throw invalid(
        `${folder.tokenizerFile} is no tokenizer that can be read: ${said}; take the ` +
          "tokenizer.json that the model came with",
      );
    }
    if (this.tokenMax >= 0) return;
    throw invalid(
      `${folder.tokenizerFile} has no vocabulary; take the tokenizer.json that the model came with`,
    );
  }

  /** Tokens of a text, special ones included; at least one. */
  tokensOf(text: string): readonly number[] {
    const tokens = this.#encode(cutText(text, UNITS_PER_TOKEN * this.#tokensMax), true);
    const { length } = this.#ending;
    if (tokens.length <= this.#tokensMax) return tokens.length === 0 ? [0] : tokens;
    return [...tokens.slice(0, this.#tokensMax - length), ...this.#ending];
  }

  #encode(text: string, withSpecial: boolean): readonly number[] {
    const { ids } = this.#encoder.encode(text, { add_special_tokens: withSpecial });
    return ids.filter((token) => token !== undefined);
  }

  #findEnding(words: readonly string[]): readonly number[] {
    for (const text of ["a", ...words]) {
      const bare = this.#encode(text, false);
      if (bare.length === 0) continue;
      const whole = this.#encode(text, true);
      for (let start = 0; start + bare.length <= whole.length; start++) {
        const isThere = bare.every((token, i) => whole[start + i] === token);
        if (isThere) return whole.slice(start + bare.length);
      }
    }
    return [];
  }
}

function completed({ tokenizer }: OnnxFolder): object {
  const missing = PARTS.filter((name) => tokenizer[name] === undefined);
  const parts = Object.fromEntries(missing.map((name) => [name, null]));
  return { added_tokens: [], ...parts, ...tokenizer };
}
