/** Schema changes as tests write them: plain JavaScript, and a new namespace unless told otherwise. */

import { type DistanceMetric, EMPTY_SCHEMA, type Schema } from "../../../src/model/schema.ts";
import {
  type IndexToBuild,
  indexesToBuild,
  mergeSchema,
} from "../../../src/write/schema/merge-schema.ts";
import { jsonObject } from "./loose-json.ts";

/** What a request says. */
export interface Change {
  readonly schema: object;
  readonly metric?: DistanceMetric;
  /** The namespace has documents already. */
  readonly existing?: boolean;
}

/** The outcome of a change. */
export interface MergedSchema {
  readonly schema: Schema;
  readonly builds: readonly IndexToBuild[];
}

/** Merges a change. One model is known, of 1,536 dimensions: `openai/text-embedding-3-small`. */
export function merge(current: Schema, change: Change): MergedSchema {
  const schema = mergeSchema(current, {
    declared: jsonObject(change.schema),
    path: "schema",
    distanceMetric: change.metric,
    isNewNamespace: change.existing !== true,
    dimensionsOf: (model) => (model === "openai/text-embedding-3-small" ? 1536 : undefined),
  });
  return { schema, builds: indexesToBuild(current, schema) };
}

/** The schema of a namespace that a write with these declarations creates. */
export function create(schema: object, metric?: DistanceMetric): Schema {
  return merge(EMPTY_SCHEMA, metric ? { schema, metric } : { schema }).schema;
}
