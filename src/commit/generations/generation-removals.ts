import type { NamespaceName } from "../../base/ids.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import { removeGeneration } from "../../namespace/generations/namespace-generations.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/** What removals need. */
export interface RemovalOptions {
  readonly store: ObjectStore;
  /** Other servers may have a generation open; see `removeGeneration`. */
  readonly keepLogs: boolean;
  readonly log: StructuredLog;
}

/** Removes the objects of deleted generations in the background, one after the other by name. */
export class GenerationRemovals {
  readonly #options: RemovalOptions;
  readonly #removing = new Map<NamespaceName, Promise<void>>();

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Waits until nothing runs. */
  async settle(): Promise<void> {
    await Promise.all(this.#removing.values());
  }

  /** Removes the objects of a generation that is marked as deleted. */
  run(generation: NamespaceGeneration): Promise<void> {
    const { store, keepLogs } = this.#options;
    return removeGeneration(store, generation, { keepLog: keepLogs });
  }

  /** The same in the background; what fails is left until the next start. */
  begin(generation: NamespaceGeneration): void {
    const before = this.#removing.get(generation.name) ?? Promise.resolve();
    const removal = before
      .then(() => this.run(generation))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        const facts = { namespace: generation.name, reason };
        this.#options.log(
          "warn",
          "objects of a deleted namespace are left until the next start",
          facts,
        );
      })
      .finally(() => {
        if (this.#removing.get(generation.name) === removal) this.#removing.delete(generation.name);
      });
    this.#removing.set(generation.name, removal);
  }
}
