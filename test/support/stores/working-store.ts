/** A store to break: tests override what it does wrong. */

import { MemoryObjectStore } from "./memory-object-store.ts";
import type {
  ListPage,
  ListRequest,
  ObjectBody,
  ObjectKey,
  ObjectStore,
  PutCondition,
  PutOutcome,
} from "../../../src/storage/object-store.ts";

/** A store that keeps all promises but what a test overrides. */
export class WorkingStore implements ObjectStore {
  protected readonly inner = new MemoryObjectStore();

  get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.inner.get(key);
  }

  getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    return this.inner.getRange(key, start, end);
  }

  put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    return this.inner.put(key, body, condition);
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.inner.list(request);
  }

  delete(key: ObjectKey): Promise<void> {
    return this.inner.delete(key);
  }
}
