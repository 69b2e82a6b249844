/** What of a request belongs in the audit: a pure decision. */

import type { NamespaceEffect } from "../../model/namespace-effect.ts";
import type { ApiOutcome } from "./api-outcome.ts";
import type { AuditActor } from "./audit-actor.ts";

/** Something that was done, or was tried by somebody who is known. */
export interface AuditEvent {
  readonly action: string;
  /** Undefined: the server has no keys. */
  readonly actor: AuditActor | undefined;
  /** Namespaces and ids of keys; what was changed comes first. */
  readonly targets: readonly string[];
  /** 202: it was started. */
  readonly status: number;
}

/** Operations that change namespaces, or keys, whatever is in their bodies. */
const CHANGES: ReadonlySet<string> = new Set([
  "delete_namespace",
  "update_metadata",
  "update_schema",
  "create_key",
  "revoke_key",
  "issue_token",
  "begin_backup",
  "finish_restore",
  "create_checkpoint",
  "delete_checkpoint",
  "restore_checkpoint",
]);

const ACTION_OF_EFFECT: Readonly<Record<NamespaceEffect["kind"], string>> = {
  created: "create_namespace",
  schema_changed: "update_schema",
  copied: "copy_namespace",
  branched: "branch_namespace",
};

/**
 * The events of a request that is over. With `hasWrites` each write is one, beside what it did to
 * its namespace. Requests of nobody who is known (401) are none: anybody could fill the audit.
 */
export function auditEvents(outcome: ApiOutcome, hasWrites: boolean): AuditEvent[] {
  const { operation, namespace, target, actor, answer } = outcome;
  const { status, effects = [], refused } = answer;
  if (status === 401) return [];
  const event = (action: string, ...targets: (string | undefined)[]): AuditEvent => {
    return { action, actor, status, targets: targets.filter((name) => name !== undefined) };
  };
  const effectEvent = (effect: NamespaceEffect) =>
    event(ACTION_OF_EFFECT[effect.kind], namespace, "source" in effect ? effect.source : undefined);
  const events = effects.map(effectEvent);
  for (const effect of refused?.effects ?? []) {
    events.push({ ...effectEvent(effect), status: refused?.status ?? status });
  }
  if (CHANGES.has(operation)) events.push(event(operation, namespace ?? target));
  // One that is refused before its body is read says nothing of its source.
  if (operation === "start_copy" && events.length === 0) {
    events.push(event("copy_namespace", namespace));
  }
  if (operation === "write" && hasWrites) events.push(event("write", namespace));
  return events;
}
