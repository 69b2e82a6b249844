/**
 * Plans: what the executor does, as plain data. The planner has resolved every name, analyzed every
 * text and weighed every term; the executor only runs over segments.
 *
 * A node's `kind` names its operator (`query/operators.ts`). What else a node has is known to the
 * file of its operator alone, which declares it: so these types cannot be narrowed by their kind.
 */

import type { AttributeType } from "../../model/attribute-type.ts";
import type { LimitPer } from "../../model/query.ts";
import type { DistanceMetric } from "../../model/schema.ts";

declare const ROLE: unique symbol;

/** A node of a plan. The role is a matter of types alone: no node has such a member. */
export interface PlanNode<Role extends string> {
  readonly kind: string;
  readonly [ROLE]?: Role;
}

/** A filter that is bound to a schema: its names are known, its operands have the right types. */
export type Predicate = PlanNode<"predicate">;

/** Score arithmetic. A document that no clause produces has no score. */
export type ScoreNode = PlanNode<"score">;

/** How documents are ranked. */
export type RankNode = PlanNode<"rank">;

/** A computed member of returned documents. */
export type ComputedNode = PlanNode<"computed">;

/** An aggregate function. */
export type AggregateNode = PlanNode<"aggregate">;

/** A vector attribute and what its vectors are compared with. */
export interface VectorTarget {
  readonly attribute: string;
  readonly metric: DistanceMetric;
  /** Several vectors iff the attribute is of type `[][N]f32`. */
  readonly query: Float32Array | readonly Float32Array[];
}

/** A query for documents. */
export interface DocumentPlan {
  readonly kind: "documents";
  readonly predicate: Predicate;
  readonly rank: RankNode;
  readonly offset: number;
  readonly limit: number;
  readonly limitPer: LimitPer | undefined;
  /** Returned attributes in order. */
  readonly attributes: readonly (readonly [string, AttributeType])[];
  readonly computed: readonly (readonly [string, ComputedNode])[];
}

/** A group key. */
export interface GroupNode {
  /** Its name in the answer. */
  readonly name: string;
  readonly attribute: string;
  /** Type of the key's values: of the elements for `each_unique`. */
  readonly type: AttributeType;
  readonly each: "value" | "unique_element";
}

/** A query for aggregates. */
export interface AggregatePlan {
  readonly kind: "aggregate";
  readonly predicate: Predicate;
  readonly aggregates: readonly (readonly [string, AggregateNode])[];
  /** Without keys there is exactly one group. */
  readonly groups: readonly GroupNode[];
  readonly groupLimit: number;
}

/** A plan. */
export type Plan = DocumentPlan | AggregatePlan;
