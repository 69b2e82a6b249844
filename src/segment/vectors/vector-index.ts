/** Dense vectors, where the kernels read them. */

import type { Steps } from "../../base/steps.ts";
import { checkPresence } from "../../codec/columns-check.ts";
import { firstOrdinals } from "../../codec/columns-gather.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex, AttributeValues, MergedValues } from "../view/attribute-index.ts";
import { DenseVectors } from "./dense-vectors.ts";
import {
  inverseNorms,
  openVectorColumn,
  planVectors,
  VECTOR_SECTIONS,
  type VectorPart,
  vectorsOf,
} from "./vector-section.ts";

/** They are the values of their attribute: there is no other column of them. */
export const VECTOR_INDEX: AttributeIndex<DenseVectors> = {
  name: "vectors",
  sections: [VECTOR_SECTIONS.description, VECTOR_SECTIONS.vectors],
  option: undefined,
  isWanted: (type) => type.kind === "vector",
  isCurrent: () => true,
  build,
  merge,
  open,
  check,
  touch,
};

function* build({ attribute, column }: AttributeValues): Steps<SectionPlan[]> {
  const { type, count, presence } = column;
  if (type.kind !== "vector") return [];
  const part = { source: vectorsOf(column), ordinals: firstOrdinals(count) };
  const described = { type, count, presence, inverseNorms: yield* inverseNorms(column) };
  return planVectors(attribute, described, [part]);
}

function* merge(values: MergedValues): Steps<SectionPlan[]> {
  const { attribute, type, documentCount: count, presence, inputs } = values;
  if (type.kind !== "vector") return [];
  const norms = new Float32Array(count);
  let next = 0;
  const parts: VectorPart[] = [];
  for (const { view, ordinals } of inputs) {
    yield;
    const dense = view.index(VECTOR_INDEX, attribute);
    if (dense === undefined) {
      next += ordinals.length;
      parts.push({ source: undefined, ordinals });
      continue;
    }
    const known = dense.description.inverseNorms;
    for (let o = 0; o < ordinals.length; o++) norms[next++] = known[ordinals[o]];
    parts.push({ source: dense.vectors, ordinals });
  }
  return planVectors(attribute, { type, count, presence, inverseNorms: norms }, parts);
}

function open(sections: AttributeSections): DenseVectors | undefined {
  const vectors = sections.entry(VECTOR_SECTIONS.vectors);
  const description = sections.bytes(VECTOR_SECTIONS.description);
  if (vectors === undefined || description === undefined) return undefined;
  return new DenseVectors(openVectorColumn(description), sections.source, vectors);
}

function check(sections: AttributeSections): void {
  const dense = open(sections);
  if (dense === undefined) return;
  const { documentCount } = sections;
  const { vectors, description, count } = dense;
  const isWhole = vectors.bytes.length >= documentCount * vectors.strideBytes;
  const isOfAll = count === documentCount && description.inverseNorms.length === documentCount;
  if (!isWhole || !isOfAll) throw corrupt("dense vectors", "there are not as many as documents");
  checkPresence(description.presence, documentCount);
}

/** All vectors, by chunks, as queries read them. */
function touch(sections: AttributeSections): void {
  open(sections)?.touchChunks();
}
