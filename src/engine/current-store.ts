/** A store that can be exchanged under those who hold it. */

import type {
  ListPage,
  ListRequest,
  ObjectBody,
  ObjectKey,
  ObjectStore,
  PutCondition,
  PutOutcome,
} from "../storage/object-store.ts";

/** Passes everything on to the store set last: the one that writes with the namespace's key. */
export class CurrentStore implements ObjectStore {
  #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Calls from now on go to `store`. */
  use(store: ObjectStore): void {
    this.#store = store;
  }

  get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.#store.get(key);
  }

  getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    return this.#store.getRange(key, start, end);
  }

  put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    return this.#store.put(key, body, condition);
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.#store.list(request);
  }

  delete(key: ObjectKey): Promise<void> {
    return this.#store.delete(key);
  }
}
