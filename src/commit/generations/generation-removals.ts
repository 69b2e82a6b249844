import type { EngineLog } from "../../api/config.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { removeGeneration } from "../../namespace/generations/namespace-generations.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/** What removals need. */
export interface RemovalParts {
  readonly store: ObjectStore;
  /** Other servers may have a generation open; see `removeGeneration`. */
  readonly keepLogs: boolean;
  readonly log: EngineLog;
}

/** Removes the objects of deleted generations in the background, one after the other by name. */
export class GenerationRemovals {
  readonly #parts: RemovalParts;
  readonly #removing = new Map<NamespaceName, Promise<void>>();

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** Waits until nothing runs. */
  async settle(): Promise<void> {
    await Promise.all(this.#removing.values());
  }

  /** Removes the objects of a generation that is marked as deleted. */
  run(at: NamespaceGeneration): Promise<void> {
    const { store, keepLogs } = this.#parts;
    return removeGeneration(store, at, { keepLog: keepLogs });
  }

  /** The same in the background; what fails is left until the next start. */
  begin(at: NamespaceGeneration): void {
    const before = this.#removing.get(at.name) ?? Promise.resolve();
    const removal = before
      .then(() => this.run(at))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        const facts = { namespace: at.name, reason };
        this.#parts.log(
          "warn",
          "objects of a deleted namespace are left until the next start",
          facts,
        );
      })
      .finally(() => {
        if (this.#removing.get(at.name) === removal) this.#removing.delete(at.name);
      });
    this.#removing.set(at.name, removal);
  }
}
