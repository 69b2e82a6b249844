import type {
  ListPage,
  ListRequest,
  ObjectBody,
  ObjectKey,
  ObjectStore,
  PutCondition,
  PutOutcome,
  ReadTrace,
} from "./object-store.ts";

/** The five requests that a store answers. */
export type StoreRequestName = "get" | "getRange" | "put" | "list" | "delete";

/**
 * A store in front of another one, to which it passes all requests on. Subclasses change single
 * requests, or put something around all of them.
 */
export abstract class StoreDecorator implements ObjectStore {
  protected readonly store: ObjectStore;

  constructor(store: ObjectStore) {
    this.store = store;
  }

  get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.around("get", key, () => this.store.get(key));
  }

  getRange(
    key: ObjectKey,
    start: number,
    end: number,
    trace?: ReadTrace,
  ): Promise<Uint8Array | undefined> {
    return this.around("getRange", key, () => this.store.getRange(key, start, end, trace));
  }

  put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    return this.around("put", key, () => this.store.put(key, body, condition));
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.around("list", request.prefix, () => this.store.list(request));
  }

  delete(key: ObjectKey): Promise<void> {
    return this.around("delete", key, () => this.store.delete(key));
  }

  /** Sends a request; `target` is its key or prefix. */
  protected around<T>(
    _request: StoreRequestName,
    _target: string,
    send: () => Promise<T>,
  ): Promise<T> {
    return send();
  }
}
