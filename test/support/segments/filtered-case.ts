/** What tests of indexes that filters read have in common. */

import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";
import type { IndexCase } from "../../conformance/attribute-index.ts";
import { documentQuery } from "../queries/query-fixture.ts";
import { randomFilter } from "../random/random-queries.ts";
import { sortedIndexes } from "./sorted-indexes.ts";

/** Small segments have them, too. */
const SORTED_INDEXES = sortedIndexes(0);

/** Segments with all that filters read, and random filters. */
export const FILTERED: Pick<IndexCase, "query" | "indexes"> = {
  indexes: SORTED_INDEXES,
  query: (random, schema) => ({
    ...documentQuery(
      { kind: "order", keys: [{ attribute: "id", direction: "asc" }] },
      { limit: 1 + random.below(20), selection: { kind: "all" } },
    ),
    filter: randomFilter(random, schema, 1),
  }),
};

/** The index of this name as those segments have it. */
export function sortedIndexOf(name: string): AttributeIndex {
  const index = SORTED_INDEXES.find((one) => one.name === name);
  if (index === undefined) throw new Error(`no index is called ${name}`);
  return index;
}
