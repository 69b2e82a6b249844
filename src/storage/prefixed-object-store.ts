import {
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  objectKey,
  type PutCondition,
  type PutOutcome,
} from "./object-store.ts";

/** The part of a store below one folder, as a store of its own. */
export class PrefixedObjectStore implements ObjectStore {
  readonly #store: ObjectStore;
  /** Ends in `/`. */
  readonly #folder: string;

  /** `folder` is an object key, without a `/` at its end. */
  constructor(store: ObjectStore, folder: string) {
    this.#store = store;
    this.#folder = `${objectKey(folder)}/`;
  }

  get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.#store.get(this.#whole(key));
  }

  getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    return this.#store.getRange(this.#whole(key), start, end);
  }

  put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    return this.#store.put(this.#whole(key), body, condition);
  }

  async list(request: ListRequest): Promise<ListPage> {
    const { prefix, startAfter } = request;
    const page = await this.#store.list({
      ...request,
      prefix: this.#folder + prefix,
      ...(startAfter !== undefined && { startAfter: this.#folder + startAfter }),
    });
    const cut = this.#folder.length;
    return {
      keys: page.keys.map((key) => objectKey(key.slice(cut))),
      prefixes: page.prefixes.map((folded) => folded.slice(cut)),
      truncated: page.truncated,
    };
  }

  delete(key: ObjectKey): Promise<void> {
    return this.#store.delete(this.#whole(key));
  }

  #whole(key: ObjectKey): ObjectKey {
    return objectKey(this.#folder + key);
  }
}
