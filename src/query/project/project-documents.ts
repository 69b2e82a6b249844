/** From ranked ordinals to what is returned: ids, attributes and computed members. */

import { MIB } from "../../base/byte-sizes.ts";
import type { Ordinal } from "../../base/ids.ts";
import { valueLogicalBytes } from "../../codec/columns-size.ts";
import {
  columnValue,
  hasManyElements,
  longValue,
  type ValuePlace,
} from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { ComputedValue, ResultDocument } from "../../model/query-result.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import { type BytesMissing, joined, missedBy } from "../../segment/format/bytes-missing.ts";
import { joinReads, type ReadingSteps } from "../../segment/format/reading-steps.ts";
import type { RankedDocument } from "../documents/top-documents.ts";
import type { Execution } from "../operator/operator.ts";
import type { DocumentPlan } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";

/** Logical bytes of `$dist` (wire contract). */
const DIST_BYTES = 4;
/** Logical bytes of numeric ids and of UUIDs (wire contract). */
const NUMBER_BYTES = 8;
const UUID_BYTES = 16;

/** Bytes of a returned document beside its values, and of a value beside its contents. */
const ROW_BYTES = 200;
const VALUE_BYTES = 80;
/** Documents that are read between two pauses: of some KiB each. */
const DOCUMENTS_PER_STEP = 32;
/** Bytes of values that are read between two pauses, at about: some milliseconds. */
const STEP_BYTES = MIB;

/** Reads what the plan returns of each document, and counts its logical bytes. */
export function* projectDocuments(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ReadingSteps<ResultDocument[]> {
  const { operators } = execution;
  enterReturn(plan, execution);
  const documents = readDocuments(plan, ranked, execution);
  if (plan.computed.length === 0) return yield* documents;
  const computed = joinReads(
    plan.computed.map(([, node]) => operators.computed(node).run(node, ranked, execution)),
  );
  const [values, found] = yield* joinReads([computed, documents]);
  for (const [member, [name]] of plan.computed.entries()) {
    for (const [index, document] of found.entries()) {
      document.computed.push([name, values[member][index]]);
    }
  }
  return found;
}

/** A document whose computed members are not there yet. */
interface OpenDocument extends ResultDocument {
  readonly computed: [string, ComputedValue][];
}

function* readDocuments(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ReadingSteps<OpenDocument[]> {
  const { snapshot, work, operators, options } = execution;
  const { memory } = options;
  const { distOf } = operators.rank(plan.rank);
  const isUuid = snapshot.schema.idType === "uuid";
  const documents: OpenDocument[] = [];
  const look: DocumentLook = { id: 0n, places: [], missed: [] };
  let stepBytes = 0;
  for (const [index, document] of ranked.entries()) {
    if (index % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    lookAt(document, plan, snapshot, look);
    while (look.missed.length > 0) {
      // What is missing of all documents that follow is requested with it.
      for (let later = index + 1; later < ranked.length; later++) {
        lookAt(ranked[later], plan, snapshot, look);
        if (later % DOCUMENTS_PER_STEP === 0) yield;
      }
      yield joined(look.missed.splice(0));
      enterReturn(plan, execution);
      lookAt(document, plan, snapshot, look);
    }
    memory?.take(ROW_BYTES, "returned documents");
    const { id, places } = look;
    const dist = distOf(document.key);
    work.bytesReturned += idBytes(id, isUuid) + (dist === undefined ? 0 : DIST_BYTES);
    const attributes: [string, AttributeType, AttributeValue][] = [];
    for (let i = 0; i < plan.attributes.length; i++) {
      if (stepBytes >= STEP_BYTES) {
        stepBytes = 0;
        yield;
      }
      const place = places[i];
      if (place === undefined) continue;
      const bytes = valueLogicalBytes(place.column, place.ordinal);
      stepBytes += bytes;
      memory?.take(bytes + VALUE_BYTES, "returned values");
      const value = hasManyElements(place)
        ? yield* longValue(place)
        : columnValue(place.column, place.ordinal);
      const [name, type] = plan.attributes[i];
      attributes.push([name, type, value]);
      work.bytesReturned += bytes;
    }
    documents.push({ id, dist, attributes, computed: [] });
  }
  return documents;
}

/** Where the parts of one document are. */
interface DocumentLook {
  id: DocumentId;
  /** In the order of the plan's attributes; undefined for those without a value. */
  readonly places: (ValuePlace | undefined)[];
  /** What was not in memory, of all documents that were looked at. */
  readonly missed: BytesMissing[];
}

/** Looks at a document; adds to `missed` what is not in memory. */
function lookAt(
  { segment, ordinal }: RankedDocument,
  { attributes }: DocumentPlan,
  { segments }: Snapshot,
  look: DocumentLook,
): void {
  const { view } = segments[segment];
  try {
    look.id = view.idOf(ordinal as Ordinal);
  } catch (error) {
    look.missed.push(missedBy(error));
  }
  for (let i = 0; i < attributes.length; i++) {
    try {
      look.places[i] = view.column(attributes[i][0])?.place(ordinal as Ordinal);
    } catch (error) {
      look.missed.push(missedBy(error));
    }
  }
}

function enterReturn(plan: DocumentPlan, { options }: Execution): void {
  options.enter?.(() => returnStep(plan), "return");
}

function returnStep({ attributes, computed }: DocumentPlan): string {
  const names = [...attributes.map(([name]) => name), ...computed.map(([name]) => name)];
  return `Return: ${["id", ...names].join(", ")}`;
}

function idBytes(id: DocumentId, isUuid: boolean): number {
  if (typeof id === "bigint") return NUMBER_BYTES;
  return isUuid ? UUID_BYTES : Buffer.byteLength(id);
}
