/**
 * The main thread's directory of namespaces that are open in the write thread, and of what each
 * query thread has seen of them. A thread is told of a namespace's changes with its next query
 * there, so that namespaces without queries cost the query threads nothing. Where segments were
 * dropped the change is sent at once, and their memory is released when every thread that could
 * read them has let go.
 */

import type { NamespaceName } from "../../../base/ids.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../../../namespace/published-state.ts";
import type { NamespaceUpdate } from "../../thread-messages.ts";
import { SnapshotFold } from "./snapshot-fold.ts";

/** Deltas kept for a query thread that lags behind before it gets the whole state again. */
export const PENDING_DELTAS_MAX = 1024;

/** What was published together: the state is that after the last of the deltas. */
interface Publication {
  readonly deltas: readonly PublishedDelta[];
  readonly state: NamespaceState;
  readonly version: number;
}

interface ThreadView {
  /** What to send with the next message; undefined: the whole state is due. */
  pending: Publication[] | undefined;
  pendingDeltas: number;
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
  update(thread: number, update: NamespaceUpdate): void;
  /** No query thread reads what was dropped up to `version`. */
  release(instance: NamespaceInstance, version: number): void;
}

/** All open namespaces, as queries see them. */
export class SnapshotDirectory {
  readonly #output: DirectoryOutput;
  readonly #current = new Map<NamespaceName, NamespaceInstance>();
  readonly #entries = new Map<NamespaceInstance, Entry>();

  constructor(output: DirectoryOutput) {
    this.#output = output;
  }

  /** The newest published state; undefined if the namespace is not open. */
  state(namespace: NamespaceName): NamespaceState | undefined {
    const instance = this.#current.get(namespace);
    return instance === undefined ? undefined : this.#entries.get(instance)?.state;
  }

  /** Takes what the write thread published: changes that become visible at once. */
  publish(
    namespace: NamespaceName,
    deltas: readonly PublishedDelta[],
    state: NamespaceState,
  ): void {
    const { instance } = state;
    const entry = this.#entries.get(instance) ?? this.#enter(instance, state);
    entry.state = state;
    if (!state.retired) this.#current.set(namespace, instance);
    else if (this.#current.get(namespace) === instance) this.#current.delete(namespace);
    let drops = state.retired;
    for (const delta of deltas) {
      entry.fold.apply(delta.change);
      entry.version = delta.version;
      if (delta.change.dropped.length > 0) drops = true;
    }
    const published = { deltas, state, version: entry.version };
    for (const view of entry.threads.values()) keepPending(view, published);
    if (!drops) return;
    entry.drops.push(entry.version);
    for (const thread of entry.threads.keys()) {
      const update = this.updateFor(thread, instance);
      if (update !== undefined) this.#output.update(thread, update);
    }
    this.#release(instance, entry);
  }

  /** What a thread must be sent before it answers from the newest state; undefined if nothing. */
  updateFor(thread: number, instance: NamespaceInstance): NamespaceUpdate | undefined {
    const entry = this.#entries.get(instance);
    if (entry === undefined) return undefined;
    let view = entry.threads.get(thread);
    if (view === undefined) {
      view = { pending: undefined, pendingDeltas: 0, sentVersion: 0, appliedVersion: 0 };
      entry.threads.set(thread, view);
    }
    if (view.sentVersion === entry.version) return undefined;
    const deltas = view.pending?.flatMap((published) => published.deltas) ?? [
      { version: entry.version, change: entry.fold.full() },
    ];
    view.pending = [];
    view.pendingDeltas = 0;
    view.sentVersion = entry.version;
    return { deltas, state: entry.state, version: entry.version };
  }

  /**
   * Brings a thread to a version that was the newest a moment ago, and not further: `update` has
   * what it must be sent for that, if anything. Undefined if it has seen more, or is not to be
   * brought there by changes alone.
   */
  updateTo(
    thread: number,
    instance: NamespaceInstance,
    version: number,
  ): { readonly update: NamespaceUpdate | undefined } | undefined {
    const entry = this.#entries.get(instance);
    if (entry === undefined || entry.state.retired) return undefined;
    if (entry.version === version) return { update: this.updateFor(thread, instance) };
    const view = entry.threads.get(thread);
    if (view?.sentVersion === version) return { update: undefined };
    const last = view?.pending?.findLastIndex((published) => published.version === version) ?? -1;
    if (view?.pending === undefined || last < 0) return undefined;
    const { state } = view.pending[last];
    const deltas = view.pending.splice(0, last + 1).flatMap((published) => published.deltas);
    view.pendingDeltas -= deltas.length;
    view.sentVersion = version;
    return { update: { deltas, state, version } };
  }

  /** A thread says that it has applied everything up to `version`. */
  applied(thread: number, instance: NamespaceInstance, version: number): void {
    const entry = this.#entries.get(instance);
    const view = entry?.threads.get(thread);
    if (entry === undefined || view === undefined) return;
    view.appliedVersion = Math.max(view.appliedVersion, version);
    this.#release(instance, entry);
  }

  #enter(instance: NamespaceInstance, state: NamespaceState): Entry {
    const entry: Entry = {
      fold: new SnapshotFold(),
      state,
      version: 0,
      drops: [],
      threads: new Map(),
    };
    this.#entries.set(instance, entry);
    return entry;
  }

  #release(instance: NamespaceInstance, entry: Entry): void {
    let oldest = entry.version;
    for (const view of entry.threads.values()) oldest = Math.min(oldest, view.appliedVersion);
    let released: number | undefined;
    while (entry.drops.length > 0 && entry.drops[0] <= oldest) released = entry.drops.shift();
    if (released === undefined) return;
    this.#output.release(instance, released);
    if (entry.state.retired && entry.drops.length === 0) this.#entries.delete(instance);
  }
}

function keepPending(view: ThreadView, published: Publication): void {
  if (view.pending === undefined) return;
  view.pending.push(published);
  view.pendingDeltas += published.deltas.length;
  if (view.pendingDeltas > PENDING_DELTAS_MAX) view.pending = undefined;
}
