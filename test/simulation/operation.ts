/** What clients ask for and what they hear. */

import type { OperationName } from "../../src/api/engine.ts";
import type { QueryRequest } from "../../src/model/query.ts";
import type { Answer } from "../support/engine/engine-fixture.ts";
import type { SimulatedWrite } from "./namespace-state.ts";

/** What a request means. */
export type Meaning =
  | { readonly kind: "write"; readonly write: SimulatedWrite }
  | { readonly kind: "schema"; readonly language: string }
  | { readonly kind: "copy"; readonly source: string; readonly isBranch: boolean }
  | { readonly kind: "delete namespace" }
  | {
      readonly kind: "query";
      readonly request: QueryRequest;
      readonly looksAtText: boolean;
      readonly isEventual: boolean;
    }
  | { readonly kind: "export" }
  | { readonly kind: "metadata" }
  | { readonly kind: "list" }
  /** Changes nothing and tells nothing. */
  | { readonly kind: "cache" };

/** A request that was sent. */
export interface Operation {
  /** From 1; marks what it writes. */
  readonly number: number;
  readonly name: string;
  readonly meaning: Meaning;
  readonly call: OperationName;
  readonly body: string | undefined;
  /** Name of the process that it was sent to; undefined before. */
  server: string | undefined;
  /** Number of the event at which it was sent. */
  sentAt: number;
  /** The simulated time at which it was sent, in milliseconds. */
  sentAtMs: number;
  /** Of the event at which its answer came; undefined: none ever did. */
  answeredAt: number | undefined;
  answer: Answer | undefined;
  /** It must see everything that ever took effect. */
  readonly isLast: boolean;
  /** Indexers have done all that there was to do, when it is sent. */
  readonly isSettled?: boolean;
}

/** What is known of the effect of a change. */
export type Fate = "happened" | "nothing" | "unknown";

/** What an answer says of the effect; none, and those of a server's trouble, leave it open. */
export function fateOf({ answer }: Operation): Fate {
  if (answer === undefined || answer.status >= 500) return "unknown";
  return answer.status === 200 ? "happened" : "nothing";
}
