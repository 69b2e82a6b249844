/** What a tokenizer does to a text before it cuts it: small changes, as HF's tokenizers make. */

import { invalid } from "../../base/errors.ts";
import { isRecord, type JsonRecord, quoted, textOf } from "../json-record.ts";
import { precompiledNormalizer } from "./precompiled-normalizer.ts";

/** Changes a text. */
export type TextNormalizer = (text: string) => string;

/** Depth of sequences in sequences; those of real models have one. */
const DEPTH_MAX = 2;
/** Parts of a sequence; those of real models have some five. */
const PARTS_MAX = 16;
/** UTF-16 units that are put in somewhere; real models have one or two. */
const INSERTED_UNITS_MAX = 64;
/**
 * UTF-16 units of a changed text that the next change sees: four times the longest text that comes,
 * or changes that each double a text would fill the memory.
 */
const TEXT_UNITS_MAX = 131_072;
/** Characters that BERT drops, before all white space that is left becomes spaces. */
const CONTROLS = /(?![\t\n\r])[\p{C}\ufffd]/gu;
const WHITE_SPACE = /\p{White_Space}/gu;
/** Where BERT sets single characters apart: the CJK ideographs, by its own list of blocks. */
const IDEOGRAPHS =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;

/** Makes a normalizer of its part of a tokenizer.json. Throws `invalid` for what is not known. */
export function textNormalizer(json: unknown, depth = 0): TextNormalizer {
  if (json === null || json === undefined) return (text) => text;
  if (!isRecord(json)) throw invalid("`normalizer` must be an object or null");
  switch (json.type) {
    case "BertNormalizer":
      return bertNormalizer(json);
    case "Lowercase":
      return lowerCase;
    case "NFC":
    case "NFD":
    case "NFKC":
    case "NFKD": {
      const form = json.type;
      return (text) => text.normalize(form);
    }
    case "StripAccents":
      return (text) => text.replace(/\p{Mn}/gu, "");
    case "Strip":
      return stripNormalizer(json);
    case "Prepend":
      return prepending(inserted(textOf(json, "prepend", "normalizer"), "prepend", json));
    case "Replace":
      return replacing(json);
    case "Precompiled":
      return precompiledNormalizer(textOf(json, "precompiled_charsmap", "normalizer"));
    case "Sequence":
      return sequence(json, depth);
    default:
      throw invalid(
        `normalizer ${quoted(json.type)} is not known; known are BertNormalizer, ` +
          "Lowercase, NFC, NFD, NFKC, NFKD, Precompiled, Prepend, Replace, Sequence, Strip " +
          "and StripAccents",
      );
  }
}

/** Character by character: none depends on where in a word it stands, as a Greek sigma may. */
function lowerCase(text: string): string {
  if (!text.includes("Σ")) return text.toLowerCase();
  return Array.from(text, (character) => character.toLowerCase()).join("");
}

function sequence({ normalizers }: JsonRecord, depth: number): TextNormalizer {
  if (!Array.isArray(normalizers) || normalizers.length > PARTS_MAX || depth >= DEPTH_MAX) {
    throw invalid(
      `a Sequence of normalizers must be a list of at most ${PARTS_MAX}, ${DEPTH_MAX} deep`,
    );
  }
  const parts = normalizers.map((part: unknown) => textNormalizer(part, depth + 1));
  return (text) => parts.reduce((changed, part) => part(changed).slice(0, TEXT_UNITS_MAX), text);
}

/** Where accents are not spoken of, they go with the case, as in BERT's own code. */
function bertNormalizer(json: JsonRecord): TextNormalizer {
  const { clean_text: cleans = true, handle_chinese_chars: setsApart = true } = json;
  const { lowercase: lowers = true } = json;
  const strips = json.strip_accents ?? lowers;
  return (text) => {
    let changed = text;
    if (cleans) changed = changed.replace(CONTROLS, "").replace(WHITE_SPACE, " ");
    if (setsApart) changed = changed.replace(IDEOGRAPHS, " $& ");
    if (strips) changed = changed.normalize("NFD").replace(/\p{Mn}/gu, "");
    return lowers ? lowerCase(changed) : changed;
  };
}

function stripNormalizer({ strip_left: left, strip_right: right }: JsonRecord): TextNormalizer {
  return (text) => {
    const begun = left === true ? text.trimStart() : text;
    return right === true ? begun.trimEnd() : begun;
  };
}

/** Returns a text that is put into others. Throws `invalid` for one that is too long. */
function inserted(text: string, name: string, { type }: JsonRecord): string {
  if (text.length <= INSERTED_UNITS_MAX) return text;
  throw invalid(
    `\`${name}\` of a ${type} normalizer has ${text.length} characters; at most ` +
      `${INSERTED_UNITS_MAX} are known`,
  );
}

function prepending(prefix: string): TextNormalizer {
  return (text) => (text === "" ? text : prefix + text);
}

/** Regular expressions come from a file that may be hostile: only one that models have is taken. */
function replacing({ pattern, content }: JsonRecord): TextNormalizer {
  if (typeof content !== "string" || !isRecord(pattern)) {
    throw invalid("a Replace normalizer needs `pattern` and `content`");
  }
  inserted(content, "content", { type: "Replace" });
  const { String: literal, Regex: expression } = pattern;
  if (typeof literal === "string" && literal !== "") {
    return (text) => text.replaceAll(literal, () => content);
  }
  if (expression === " {2,}") return (text) => text.replace(/ {2,}/g, () => content);
  throw invalid(
    `a Replace normalizer has the pattern ${quoted(pattern)}; known are strings and the ` +
      'regular expression " {2,}"',
  );
}
