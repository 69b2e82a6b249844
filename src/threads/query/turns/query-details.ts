/** What is told of a query that was slow, or whose trace somebody keeps. */

import type { QueryDetails } from "../../../api/engine.ts";
import type { QueryRequest } from "../../../model/query.ts";
import type { QueryReads, QueryWork } from "../../../model/request-stats.ts";
import type { Schema } from "../../../model/schema.ts";
import type { CountedPlan } from "../../../query/operator/counted-plan.ts";
import type { Snapshot } from "../../../query/operator/snapshot.ts";
import { addWorkStats, newWorkStats } from "../../../query/operator/work-stats.ts";
import { planOutline } from "../../../query/planner/plan-outline.ts";
import { type RequestKind, requestKind } from "../../../query/planner/request-kind.ts";
import { requestShape } from "../../../query/planner/request-shape.ts";

/** What a query is known by as far as it has come. */
export class QueryNotes {
  #request: QueryRequest | undefined;
  #schema: Schema | undefined;
  #plans: readonly CountedPlan[] = [];
  #documents: number | undefined;
  #segments: number | undefined;
  #reads: QueryReads | undefined;

  /** Undefined until it was parsed. */
  get kind(): RequestKind | undefined {
    return this.#request && requestKind(this.#request);
  }

  /** It was parsed. */
  parsed(request: QueryRequest, schema: Schema): void {
    this.#request = request;
    this.#schema = schema;
  }

  /** It was planned over a snapshot; the work of an earlier attempt does not count. */
  planned(plans: readonly CountedPlan[], { segments }: Snapshot): void {
    this.#plans = plans;
    this.#segments = segments.length;
    this.#documents = segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  }

  /** It has run, and has read so much of stored segments. */
  ran(reads: QueryReads): void {
    this.#reads = reads;
  }

  /** All of it but the time, without any literal of the request. */
  describe(): Omit<QueryDetails, "phases"> {
    const reads = this.#reads;
    return {
      ...(this.#request && this.#schema && { shape: requestShape(this.#request, this.#schema) }),
      ...(this.#plans.length > 0 && { plan: planOutline(this.#plans.map(({ plan }) => plan)) }),
      ...(this.#documents !== undefined && {
        documents: this.#documents,
        segments: this.#segments,
      }),
      work: this.#work(),
      ...(reads && reads.rounds > 0 && { reads: readsOf(reads) }),
    };
  }

  /** What is not zero. */
  #work(): Partial<QueryWork> {
    const sum = newWorkStats();
    for (const { work } of this.#plans) addWorkStats(sum, work);
    return Object.fromEntries(Object.entries(sum).filter(([, count]) => count > 0));
  }
}

function readsOf({ rounds, loadedBytes, storeBytes }: QueryReads): QueryReads {
  return { rounds, loadedBytes, storeBytes };
}
