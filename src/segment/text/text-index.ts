/** Text indexes: which documents have a term, and how often, for full-text search. */

import type { Steps } from "../../base/steps.ts";
import { checkPresence } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeIndex, AttributeValues, MergedValues } from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { PostingRanges } from "../postings/posting-ranges.ts";
import { checkPostings } from "../postings/posting-section.ts";
import {
  buildTextIndex,
  mergeTextIndexes,
  openFingerprint,
  openText,
  planText,
  TEXT_POSTINGS,
  TEXT_SECTION,
  type TextIndex,
  type TextView,
  textFingerprint,
  textOptions,
  textView,
} from "./text-section.ts";

/** Of strings and arrays of strings, by the options of `full_text_search`. */
export const TEXT_INDEX: AttributeIndex<TextView> = {
  name: "text",
  sections: [TEXT_SECTION, TEXT_POSTINGS.ordinals, TEXT_POSTINGS.numbers],
  option: "full_text_search",
  isWanted: (type, schema) => textOptions(type, schema) !== undefined,
  isCurrent,
  madeBy: ({ fullTextSearch }) => [
    fullTextSearch === undefined ? null : textFingerprint(fullTextSearch),
  ],
  build,
  merge,
  open,
  check,
  // Which postings a query reads depends on its terms.
  touch: (sections) => sections.touch([TEXT_SECTION]),
};

/** The fingerprint of a text index lies within so many bytes from its start. */
const FINGERPRINT_BYTES_MAX = 512;

function isCurrent(
  sections: AttributeSections,
  type: AttributeType,
  schema: AttributeSchema | undefined,
): boolean {
  const options = textOptions(type, schema);
  const wanted = options === undefined ? undefined : textFingerprint(options);
  return fingerprintOf(sections) === wanted;
}

/** Which options the terms come from; undefined if there is no index. */
function fingerprintOf(sections: AttributeSections): string | undefined {
  const entry = sections.entry(TEXT_SECTION);
  if (entry === undefined) return undefined;
  const end = entry.offset + Math.min(entry.bytes, FINGERPRINT_BYTES_MAX);
  return openFingerprint(sections.source.place(entry.offset, end).bytes);
}

function* build({ attribute, schema, column }: AttributeValues): Steps<SectionPlan[]> {
  const options = textOptions(column.type, schema);
  return options === undefined ? [] : planText(attribute, yield* buildTextIndex(column, options));
}

function* merge({ attribute, schema, column, inputs }: MergedValues): Steps<SectionPlan[]> {
  const options = textOptions(column.type, schema);
  if (options === undefined) return [];
  const fingerprint = textFingerprint(options);
  const parts = inputs.map(({ view, newOrdinals }) => {
    return { index: readTextIndex(view.sections(attribute)), newOrdinals };
  });
  const isJoined = parts.every(({ index }, i) => {
    return index === undefined
      ? inputs[i].view.column(attribute) === undefined
      : index.fingerprint === fingerprint;
  });
  const index = isJoined
    ? yield* mergeTextIndexes(fingerprint, parts, column)
    : yield* buildTextIndex(column, options);
  return planText(attribute, index);
}

function open(sections: AttributeSections): TextView | undefined {
  const section = sections.bytes(TEXT_SECTION);
  return section && textView(openText(section), new PostingRanges(sections, TEXT_POSTINGS));
}

/** A text index as arrays. */
function readTextIndex(sections: AttributeSections): TextIndex | undefined {
  const section = sections.bytes(TEXT_SECTION);
  if (section === undefined) return undefined;
  const { directory, ...head } = openText(section);
  return { ...head, lists: new PostingRanges(sections, TEXT_POSTINGS).readAll(directory) };
}

function check(sections: AttributeSections): void {
  const index = readTextIndex(sections);
  if (index === undefined) return;
  const { documentCount } = sections;
  checkPostings(index.lists, documentCount);
  if (index.lengths.length !== documentCount) {
    throw corrupt("a text index", `it has ${index.lengths.length} lengths`);
  }
  checkPresence(index.presence, documentCount);
}
