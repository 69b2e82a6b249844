/** How the usual kinds of sections are planned. */

import { copyInSteps } from "../../base/pieces.ts";
import { type ArrayPacker, bytesOf } from "../../codec/columns-packing.ts";
import type { SectionKind, SectionPlan } from "./segment-layout.ts";

/** A section of what was packed, to which nothing is added any more; "" is about no attribute. */
export function packedSection(
  kind: SectionKind,
  attribute: string,
  packer: ArrayPacker,
): SectionPlan {
  return { kind, attribute, bytes: packer.bytes, writeTo: (target) => packer.writeTo(target) };
}

/** A section of words as they are, which must not change until it is written. */
export function wordSection(kind: SectionKind, attribute: string, words: Uint32Array): SectionPlan {
  return byteSection(kind, attribute, bytesOf(words));
}

/** The same of bytes. */
export function byteSection(kind: SectionKind, attribute: string, bytes: Uint8Array): SectionPlan {
  const writeTo = (target: Uint8Array) => copyInSteps(bytes, target);
  return { kind, attribute, bytes: bytes.length, writeTo };
}
