/** The calls that the write thread answers, as its handlers see them. */

import type { NamespaceName } from "../base/ids.ts";
import type { NamespaceEffect } from "../model/namespace-effect.ts";
import type { RequestScope } from "../model/request-scope.ts";
import type { UnknownMembers } from "../wire/json/unknown-members.ts";
import type { HttpAnswer, OperationName } from "./engine.ts";

/**
 * Operations that the write thread answers; `open` publishes a namespace and answers 200, `verify`
 * asks the store whether the published state of its parameters (`instance`, `sequence`) has all
 * that is committed: 200; it has not, but what is published now has: 409; the instance is closed:
 * 410. `refresh` brings a namespace up to date with its newest manifest.
 */
export type WriteThreadOperation = OperationName | "open" | "verify" | "refresh";

/** What starts a call. */
export interface CallMessage {
  readonly kind: "call";
  readonly call: number;
  readonly operation: WriteThreadOperation;
  readonly namespace: NamespaceName | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly apiVersion: "v1" | "v2";
  /** See `EngineRequest`. */
  readonly region?: string | undefined;
  /** See `EngineRequest`. */
  readonly scope?: RequestScope | undefined;
  /** Unknown members of the body are refused. */
  readonly isStrict: boolean;
  readonly hasBody: boolean;
  /** The request is traced, and arrived then, in milliseconds since the epoch. */
  readonly tracedAtMs?: number | undefined;
}

/** A body on its way. Chunks come one at a time; the next is asked for when the last is parsed. */
export interface BodySource {
  /**
   * The next chunk; undefined at the end. Rejects if the client gave up. The chunk before must not
   * be read any more: its memory goes back to the sender.
   */
  next(): Promise<Uint8Array | undefined>;
}

/** What a handler may tell the caller before it answers, or beside its answer. */
export interface CallReporter {
  /** Takes the members of the body that nobody reads. */
  readonly unknown: UnknownMembers;
  /** What the call asks for, where that is told also if it is refused. */
  tries(effects: readonly NamespaceEffect[]): void;
  /** The call may take long; what it is about to do. */
  long(effects: readonly NamespaceEffect[]): void;
  progress(text: string): void;
}

/** Answers one call; operating errors may be thrown. */
export type CallHandler = (
  call: CallMessage,
  body: BodySource,
  reporter: CallReporter,
) => Promise<HttpAnswer>;
