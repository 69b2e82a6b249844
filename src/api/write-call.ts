/** The calls that the write thread answers, as its handlers see them. */

import type { NamespaceName } from "../base/ids.ts";
import type { NamespaceEffect } from "../model/namespace-effect.ts";
import type { UnknownMembers } from "../wire/json/unknown-members.ts";
import type { EngineRequest, HttpAnswer } from "./engine.ts";

/** Starts the call of a client's request. */
export interface CallMessage
  extends Pick<
    EngineRequest,
    "operation" | "parameters" | "apiVersion" | "region" | "scope" | "isStrict" | "tracedAtMs"
  > {
  readonly kind: "call";
  readonly call: number;
  readonly namespace: NamespaceName | undefined;
  readonly hasBody: boolean;
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
