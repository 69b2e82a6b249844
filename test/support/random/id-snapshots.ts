/** Random documents whose segments have their ids in order, or too few for that, and a plain list. */

import type { Random } from "../../../src/base/random.ts";
import { runSteps } from "../../../src/base/steps.ts";
import { countBits, fullBitmap } from "../../../src/codec/bitmap.ts";
import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { IdType } from "../../../src/model/attribute-type.ts";
import { compareScalars, type DocumentId } from "../../../src/model/value.ts";
import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import { planMerge } from "../../../src/segment/segment-merger.ts";
import type { OpenSegment } from "../../../src/segment/segment-reader.ts";
import { documentOf, openSnapshot, schemaOf } from "../queries/query-fixture.ts";
import { ARENA_MEMORY } from "../segments/clustered-snapshot.ts";
import { writePlan } from "../segments/segment-forms.ts";
import { pick } from "./random-queries.ts";

/** Values of the attribute `tag`. */
export const TAGS = 20;

/** Makes ids of numbers; of both signs around the halves of their space, where signs would count. */
const ID_OF: Readonly<Record<IdType, (random: Random) => DocumentId>> = {
  uint: (random) => pick(random, [0n, 2n ** 63n]) + BigInt(random.below(2 ** 31)),
  uuid: (random) => {
    const [first, last] = [random.below(2 ** 32), random.below(2 ** 32)];
    const hex = (number: number): string => number.toString(16).padStart(8, "0");
    return `${hex(first)}-0000-4000-8000-0000${hex(last)}`;
  },
  string: (random) => {
    const place = random.below(2 ** 31).toString(pick(random, [3, 10, 36]));
    return pick(random, ["", "user-", "한글-", "！", "🦊", "a\0"]) + place;
  },
};

/** Draws an id that a document may have. */
export function drawId(random: Random, idType: IdType): DocumentId {
  return ID_OF[idType](random);
}

/** Documents in segments of several forms, and those of them that live, in the order of their ids. */
export interface IdSnapshot {
  readonly snapshot: Snapshot;
  readonly live: readonly TypedDocument[];
}

/** Two segments of many documents, one of which ascends, or both merged, and one of few. */
export function idSnapshot(random: Random, idType: IdType): IdSnapshot {
  const known = new Set<DocumentId>();
  const schema = schemaOf({ tag: "int" }, { idType });
  const contents = [8400, 8192 + random.below(900), 300].map((count, part) => {
    const all = Array.from({ length: count }, (): TypedDocument => {
      let id = drawId(random, idType);
      while (known.has(id)) id = drawId(random, idType);
      known.add(id);
      return documentOf(id, { tag: BigInt(random.below(TAGS)) });
    });
    if (part === 1) all.sort((a, b) => compareScalars(a.id, b.id));
    const deletedCount = part === 1 && random.below(2) === 0 ? 0 : random.below(200);
    return { deleted: all.slice(0, deletedCount), documents: all.slice(deletedCount) };
  });
  const live = contents.flatMap(({ documents }) => documents);
  live.sort((a, b) => compareScalars(a.id, b.id));
  const snapshot = openSnapshot(schema, contents);
  return { snapshot: random.below(2) === 0 ? snapshot : merged(snapshot), live };
}

function merged(snapshot: Snapshot): Snapshot {
  const [first, second, third] = snapshot.segments;
  const inputs = [first, second].map(({ view, liveBitmap }) => {
    return { view: view as OpenSegment, liveBitmap };
  });
  const view = writePlan(runSteps(planMerge(inputs, snapshot.schema)), ARENA_MEMORY);
  const liveBitmap = fullBitmap(view.documentCount);
  const made = { view, liveBitmap, liveCount: countBits(liveBitmap), liveVersion: 0 };
  return { ...snapshot, segments: [made, third] };
}
