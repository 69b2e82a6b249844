/** The values of one attribute of several segments, on their way to one. */

import { must } from "../base/assert.ts";
import type { Steps } from "../base/steps.ts";
import { gatherColumn, isUnknownArray } from "../codec/columns-gather.ts";
import { columnLogicalBytes, vectorBytes } from "../codec/columns-size.ts";
import { hasAnyValue, hasValue } from "../codec/columns-value.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Column } from "../model/columns.ts";
import type { AttributeSchema } from "../model/schema.ts";
import type { MergedValues, OrderedInput, PlannedClusters } from "./view/attribute-index.ts";

/** What an attribute is merged of. */
export interface AttributeMergeOptions {
  readonly schema: AttributeSchema | undefined;
  readonly inputs: readonly OrderedInput[];
  /** Of the new segment. */
  readonly documentCount: number;
  readonly clusters: PlannedClusters | undefined;
}

/** Merges one attribute. At least one input has a column of it. */
export class AttributeMerge implements MergedValues {
  readonly attribute: string;
  readonly schema: AttributeSchema | undefined;
  readonly type: AttributeType;
  readonly inputs: readonly OrderedInput[];
  readonly documentCount: number;
  readonly clusters: PlannedClusters | undefined;
  readonly #columns: readonly (Column | undefined)[];
  #column: Column | undefined;
  #vectorPresence: VectorPresence | undefined;

  constructor(attribute: string, options: AttributeMergeOptions) {
    const { schema, inputs, documentCount, clusters } = options;
    this.attribute = attribute;
    this.schema = schema;
    this.inputs = inputs;
    this.documentCount = documentCount;
    this.clusters = clusters;
    this.#columns = inputs.map(({ view }) => view.column(attribute)?.column);
    // The schema's type is the columns' own unless only empty arrays were seen.
    const types = this.#columns.flatMap((column) => column?.type ?? []);
    this.type = schema?.type ?? types.find((type) => !isUnknownArray(type)) ?? types[0];
  }

  /** Gathers the values; before anything else is asked. */
  *gather(): Steps<void> {
    if (this.type.kind === "vector") return;
    this.#column = yield* gatherColumn(
      this.type,
      this.inputs.map(({ ordinals }, i) => ({ column: this.#columns[i], ordinals })),
    );
  }

  get column(): Column {
    return must(this.#column, "dense vectors are not gathered");
  }

  get presence(): Uint8Array | undefined {
    return this.type.kind === "vector" ? this.#presenceOfVectors().bitmap : this.column.presence;
  }

  /** Tells whether some document of the new segment has a value. */
  get hasValues(): boolean {
    if (this.type.kind === "vector") return this.#presenceOfVectors().count > 0;
    return hasAnyValue(this.column);
  }

  /** Logical bytes of all values; see `columns-size.ts`. */
  get logicalBytes(): number {
    if (this.type.kind !== "vector") return columnLogicalBytes(this.column);
    return this.#presenceOfVectors().count * vectorBytes(this.type);
  }

  #presenceOfVectors(): VectorPresence {
    if (this.#vectorPresence !== undefined) return this.#vectorPresence;
    const bitmap = new Uint8Array((this.documentCount + 7) >> 3);
    let count = 0;
    let next = 0;
    this.inputs.forEach(({ ordinals }, i) => {
      const column = this.#columns[i];
      for (let o = 0; o < ordinals.length; o++, next++) {
        if (column === undefined || !hasValue(column, ordinals[o])) continue;
        bitmap[next >> 3] |= 1 << (next & 7);
        count++;
      }
    });
    const isOfAll = count === this.documentCount;
    this.#vectorPresence = { bitmap: isOfAll ? undefined : bitmap, count };
    return this.#vectorPresence;
  }
}

interface VectorPresence {
  /** Undefined if all documents have a vector. */
  readonly bitmap: Uint8Array | undefined;
  readonly count: number;
}
