/**
 * The main thread's directory of namespaces that are open in the write thread, and of what each query
 * thread has seen of them. A thread is told of a namespace's changes with its next query there, so
 * that namespaces without queries cost the query threads nothing. Where segments were dropped the
 * change is sent at once, and their memory is released when every thread that could read them has
 * let go.
 */

import type { NamespaceName } from "../base/ids.ts";
import { PENDING_DELTAS_MAX } from "../base/limits.ts";
import type { NamespaceState, PublishedDelta } from "./published-state.ts";
import { SnapshotFold } from "./snapshot-fold.ts";
import type { NamespaceUpdate } from "./thread-messages.ts";

interface ThreadView {
  /** Deltas to send with the next message; undefined once there were too many of them. */
  pending: PublishedDelta[] | undefined;
  sentVersion: number;
  appliedVersion: number;
}

interface Entry {
  readonly fold: SnapshotFold;
  state: NamespaceState;
  version: number;
  /** Versions at which segments were dropped and are not released yet, ascending. */
  readonly drops: number[];
  /** By query thread; absent until its first query here. */
  readonly threads: Map<number, ThreadView>;
}

/** What the directory wants sent. */
export interface DirectoryOutput {
  update(thread: number, namespace: NamespaceName, update: NamespaceUpdate): void;
  forget(thread: number, namespace: NamespaceName): void;
  /** No query thread reads what was dropped up to `version`. */
  release(namespace: NamespaceName, version: number): void;
}

/** All open namespaces, as queries see them. */
export class SnapshotDirectory {
  readonly #output: DirectoryOutput;
  readonly #entries = new Map<NamespaceName, Entry>();

  constructor(output: DirectoryOutput) {
    this.#output = output;
  }

  /** The newest published state; undefined if the namespace is not open. */
  state(namespace: NamespaceName): NamespaceState | undefined {
    return this.#entries.get(namespace)?.state;
  }

  /** Takes what the write thread published. */
  publish(namespace: NamespaceName, delta: PublishedDelta, state: NamespaceState): void {
    let entry = this.#entries.get(namespace);
    if (entry !== undefined && delta.change.full) this.forget(namespace);
    if (entry === undefined || delta.change.full) {
      entry = { fold: new SnapshotFold(), state, version: 0, drops: [], threads: new Map() };
      this.#entries.set(namespace, entry);
    }
    entry.fold.apply(delta.change);
    entry.state = state;
    entry.version = delta.version;
    for (const view of entry.threads.values()) {
      if (view.pending === undefined) continue;
      view.pending.push(delta);
      if (view.pending.length > PENDING_DELTAS_MAX) view.pending = undefined;
    }
    if (delta.change.dropped.length === 0) return;
    entry.drops.push(delta.version);
    for (const thread of entry.threads.keys()) {
      const update = this.updateFor(thread, namespace);
      if (update !== undefined) this.#output.update(thread, namespace, update);
    }
    this.#release(namespace, entry);
  }

  /** What a thread must be sent before it answers from the newest state; undefined if nothing. */
  updateFor(thread: number, namespace: NamespaceName): NamespaceUpdate | undefined {
    const entry = this.#entries.get(namespace);
    if (entry === undefined) return undefined;
    let view = entry.threads.get(thread);
    if (view === undefined) {
      view = { pending: undefined, sentVersion: 0, appliedVersion: 0 };
      entry.threads.set(thread, view);
    } else if (view.sentVersion === entry.version) {
      return undefined;
    }
    const deltas = view.pending ?? [{ version: entry.version, change: entry.fold.full() }];
    view.pending = [];
    view.sentVersion = entry.version;
    return { deltas, state: entry.state, version: entry.version };
  }

  /** A thread says that it has applied everything up to `version`. */
  applied(thread: number, namespace: NamespaceName, version: number): void {
    const entry = this.#entries.get(namespace);
    const view = entry?.threads.get(thread);
    if (entry === undefined || view === undefined) return;
    view.appliedVersion = Math.max(view.appliedVersion, version);
    this.#release(namespace, entry);
  }

  /** The namespace is deleted or closed. */
  forget(namespace: NamespaceName): void {
    const entry = this.#entries.get(namespace);
    if (entry === undefined) return;
    this.#entries.delete(namespace);
    for (const thread of entry.threads.keys()) this.#output.forget(thread, namespace);
  }

  #release(namespace: NamespaceName, entry: Entry): void {
    let oldest = entry.version;
    for (const view of entry.threads.values()) oldest = Math.min(oldest, view.appliedVersion);
    let released: number | undefined;
    while (entry.drops.length > 0 && entry.drops[0] <= oldest) released = entry.drops.shift();
    if (released !== undefined) this.#output.release(namespace, released);
  }
}
