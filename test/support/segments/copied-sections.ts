import { copyInSteps } from "../../../src/base/pieces.ts";
import type { SectionPlan } from "../../../src/segment/format/segment-layout.ts";
import type { OpenSegment } from "../../../src/segment/segment-reader.ts";

/** All sections of a segment in memory as they are, for a segment that has others beside them. */
export function copiedSections(view: OpenSegment): SectionPlan[] {
  return view.entries.map(({ kind, attribute, offset, bytes }) => ({
    kind,
    attribute,
    bytes,
    writeTo: (target) => copyInSteps(view.block.subarray(offset, offset + bytes), target),
  }));
}
