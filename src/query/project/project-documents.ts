/** From ranked ordinals to what is returned: ids, attributes and computed members. */

import type { Ordinal } from "../../base/ids.ts";
import { attributeBytes } from "../../codec/columns-size.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { ResultDocument } from "../../model/query-result.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import type { RankedDocument } from "../order/top-documents.ts";
import type { Execution, Need } from "../plan/operator.ts";
import type { DocumentPlan } from "../plan/plan.ts";

/** Logical bytes of `$dist` (wire contract). */
const DIST_BYTES = 4;
/** Logical bytes of numeric ids and of UUIDs (wire contract). */
const NUMBER_BYTES = 8;
const UUID_BYTES = 16;

/** Reads what the plan returns of each document, and counts its logical bytes. */
export function projectDocuments(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ResultDocument[] {
  return execution.withNeeds(
    () => project(plan, ranked, execution),
    () => returnedNeeds(plan, ranked, execution),
  );
}

function project(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ResultDocument[] {
  const { snapshot, work, operators } = execution;
  const computed = plan.computed.map(
    ([name, node]) => [name, operators.computed(node).run(node, ranked, execution)] as const,
  );
  const { distOf } = operators.rank(plan.rank);
  const isUuid = snapshot.schema.idType === "uuid";
  return ranked.map((document, index) => {
    const { view } = snapshot.segments[document.segment];
    const ordinal = document.ordinal as Ordinal;
    const id = view.idOf(ordinal);
    const dist = distOf(document.key);
    work.bytesReturned += idBytes(id, isUuid) + (dist === undefined ? 0 : DIST_BYTES);
    const attributes: [string, AttributeType, AttributeValue][] = [];
    for (const [name, type] of plan.attributes) {
      const value = view.column(name)?.value(ordinal) ?? null;
      if (value === null) continue;
      attributes.push([name, type, value]);
      work.bytesReturned += attributeBytes(type, value);
    }
    const members = computed.map(([name, values]) => [name, values[index]] as const);
    return { id, dist, attributes, computed: members };
  });
}

/** Looks at all that is returned of all documents. */
function returnedNeeds(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): Need[] {
  const { snapshot, operators } = execution;
  return [
    ...plan.computed.map(
      ([, node]) =>
        () =>
          void operators.computed(node).run(node, ranked, execution),
    ),
    ...ranked.flatMap(({ segment, ordinal }) => {
      const { view } = snapshot.segments[segment];
      return plan.attributes.map(
        ([name]) =>
          () =>
            void view.column(name)?.value(ordinal as Ordinal),
      );
    }),
  ];
}

function idBytes(id: DocumentId, isUuid: boolean): number {
  if (typeof id === "bigint") return NUMBER_BYTES;
  return isUuid ? UUID_BYTES : Buffer.byteLength(id);
}
