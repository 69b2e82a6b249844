/** From ranked ordinals to what is returned: ids, attributes and computed members. */

import { MIB } from "../../base/byte-sizes.ts";
import type { Ordinal } from "../../base/ids.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { valueLogicalBytes } from "../../codec/columns-size.ts";
import { columnValue, hasManyElements, longValue } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { ComputedValue, ResultDocument } from "../../model/query-result.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import type { RankedDocument } from "../documents/top-documents.ts";
import type { Execution, Need } from "../operator/operator.ts";
import type { DocumentPlan } from "../operator/plan.ts";

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
export function projectDocuments(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): Steps<ResultDocument[]> {
  return execution.withNeeds(
    () => project(plan, ranked, execution),
    () => returnedNeeds(plan, ranked, execution),
  );
}

function* project(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): Steps<ResultDocument[]> {
  const { snapshot, work, operators, options } = execution;
  const { memory } = options;
  options.enter?.(() => returnStep(plan), "return");
  const computed: [string, ComputedValue[]][] = [];
  for (const [name, node] of plan.computed) {
    computed.push([name, yield* operators.computed(node).run(node, ranked, execution)]);
  }
  const { distOf } = operators.rank(plan.rank);
  const isUuid = snapshot.schema.idType === "uuid";
  const documents: ResultDocument[] = [];
  let stepBytes = 0;
  for (const [index, document] of ranked.entries()) {
    if (index % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    memory?.take(ROW_BYTES, "returned documents");
    const { view } = snapshot.segments[document.segment];
    const ordinal = document.ordinal as Ordinal;
    const id = view.idOf(ordinal);
    const dist = distOf(document.key);
    work.bytesReturned += idBytes(id, isUuid) + (dist === undefined ? 0 : DIST_BYTES);
    const attributes: [string, AttributeType, AttributeValue][] = [];
    for (const [name, type] of plan.attributes) {
      if (stepBytes >= STEP_BYTES) {
        stepBytes = 0;
        yield;
      }
      const place = view.column(name)?.place(ordinal);
      if (place === undefined) continue;
      const bytes = valueLogicalBytes(place.column, place.ordinal);
      stepBytes += bytes;
      memory?.take(bytes + VALUE_BYTES, "returned values");
      const value = hasManyElements(place)
        ? yield* longValue(place)
        : columnValue(place.column, place.ordinal);
      attributes.push([name, type, value]);
      work.bytesReturned += bytes;
    }
    const members = computed.map(([name, values]) => [name, values[index]] as const);
    documents.push({ id, dist, attributes, computed: members });
  }
  return documents;
}

function returnStep({ attributes, computed }: DocumentPlan): string {
  const names = [...attributes.map(([name]) => name), ...computed.map(([name]) => name)];
  return `Return: ${["id", ...names].join(", ")}`;
}

/** Looks at all that is returned of all documents. */
function* returnedNeeds(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): Generator<Need> {
  const { snapshot, operators } = execution;
  for (const [, node] of plan.computed) {
    yield () => void runSteps(operators.computed(node).run(node, ranked, execution));
  }
  for (const { segment, ordinal } of ranked) {
    const { view } = snapshot.segments[segment];
    for (const [name] of plan.attributes) {
      yield () => void view.column(name)?.place(ordinal as Ordinal);
    }
  }
}

function idBytes(id: DocumentId, isUuid: boolean): number {
  if (typeof id === "bigint") return NUMBER_BYTES;
  return isUuid ? UUID_BYTES : Buffer.byteLength(id);
}
