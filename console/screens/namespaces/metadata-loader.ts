/** Metadata of the namespaces in sight: each is asked for once, a few at a time. */

import type { NamespaceMetadata } from "../../api/namespaces.ts";

/** Requests under way at once; the server has its own work beside. */
const REQUESTS_MAX = 4;
/** Namespaces that are remembered; the list has more rows than anybody looks at. */
const KEPT_MAX = 2000;

/** What is known of a namespace. */
export type MetadataState =
  | { readonly kind: "known"; readonly metadata: NamespaceMetadata }
  | { readonly kind: "failed"; readonly reason: string };

/** See the file's head. */
export class MetadataLoader {
  readonly #read: (namespace: string, signal: AbortSignal) => Promise<NamespaceMetadata>;
  readonly #onChange: () => void;
  readonly #known = new Map<string, MetadataState>();
  readonly #under = new Set<string>();
  readonly #ended = new AbortController();
  #wanted: readonly string[] = [];

  constructor(
    read: (namespace: string, signal: AbortSignal) => Promise<NamespaceMetadata>,
    onChange: () => void,
  ) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** What is known of a namespace; undefined: nothing yet. */
  get(namespace: string): MetadataState | undefined {
    return this.#known.get(namespace);
  }

  /** Says which namespaces are in sight; those that are not any more are not asked for. */
  want(namespaces: readonly string[]): void {
    this.#wanted = namespaces;
    this.#go();
  }

  /** Ends all that is under way. */
  close(): void {
    this.#ended.abort();
  }

  #go(): void {
    for (const name of this.#wanted) {
      if (this.#under.size >= REQUESTS_MAX || this.#ended.signal.aborted) return;
      if (!this.#known.has(name) && !this.#under.has(name)) void this.#load(name);
    }
  }

  async #load(name: string): Promise<void> {
    this.#under.add(name);
    const state = await this.#read(name, this.#ended.signal).then(
      (metadata): MetadataState => ({ kind: "known", metadata }),
      (error: Error): MetadataState => ({ kind: "failed", reason: error.message }),
    );
    this.#under.delete(name);
    if (this.#ended.signal.aborted) return;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KEPT_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, state);
    this.#onChange();
    this.#go();
  }
}
