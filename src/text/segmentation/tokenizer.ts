/** Maps the name of a tokenizer to the function that finds its tokens. */
import type { Tokenizer } from "../../model/full-text-options.ts";
import {
  type Scan,
  type ScanRange,
  scanWordsV0,
  scanWordsV1,
  scanWordsV2,
} from "./legacy-tokenizer.ts";
import { type AsciiScan, scanAsciiWords, scanWords } from "./word-breaks.ts";

/** Units of a text, or bytes in ASCII, that one step scans: some 0.1 ms of analysis. */
export const SCAN_STEP_UNITS = 8192;

/** The range of all tokens. */
export const WHOLE_TEXT: ScanRange = { start: 0, until: Number.POSITIVE_INFINITY };

const scanWhole: Scan = (text, _range, visit) => {
  visit(0, text.length);
  return text.length;
};

const SCANS: Readonly<Record<Tokenizer, Scan>> = {
  word_v0: scanWordsV0,
  word_v1: scanWordsV1,
  word_v2: scanWordsV2,
  word_v3: scanWords,
  word_v4: scanWords,
  pre_tokenized_array: scanWhole,
};

/**
 * Returns the function that visits the UTF-16 ranges of a text's tokens in order. What a released
 * name finds is fixed for ever, because stored terms depend on it; `word_v4` is `word_v3` under
 * the name of its faster make. `pre_tokenized_array` takes the text whole, even an empty one.
 */
export function scanOf(tokenizer: Tokenizer): Scan {
  return SCANS[tokenizer];
}

/** The same for ASCII text by its bytes, if the tokenizer has a way of its own over those. */
export function asciiScanOf(tokenizer: Tokenizer): AsciiScan | undefined {
  return SCANS[tokenizer] === scanWords ? scanAsciiWords : undefined;
}
