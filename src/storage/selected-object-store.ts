import {
  type ListPage,
  type ListRequest,
  type ObjectKey,
  type ObjectStore,
  objectKey,
  type PutOutcome,
  type ReadTrace,
} from "./object-store.ts";

/**
 * Some objects of a store under keys of their own, for readers: what is not among them is not
 * there. So a namespace is read as it was, or from bytes that lie elsewhere. Nothing can be put or
 * removed.
 */
export class SelectedObjectStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #places: ReadonlyMap<ObjectKey, ObjectKey>;
  readonly #sorted: readonly ObjectKey[];

  /** `places` has for each key that is shown the one under which the object lies. */
  constructor(store: ObjectStore, places: ReadonlyMap<ObjectKey, ObjectKey>) {
    this.#store = store;
    this.#places = places;
    this.#sorted = [...places.keys()].sort();
  }

  async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#store.get(place);
  }

  async getRange(
    key: ObjectKey,
    start: number,
    end: number,
    trace?: ReadTrace,
  ): Promise<Uint8Array | undefined> {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#store.getRange(place, start, end, trace);
  }

  async list({ prefix, startAfter = "", limit, delimiter }: ListRequest): Promise<ListPage> {
    if (delimiter !== undefined) throw new Error("a selection of objects has no folders");
    const keys = this.#sorted.filter((key) => key.startsWith(prefix) && key > startAfter);
    return { keys: keys.slice(0, limit), prefixes: [], truncated: keys.length > limit };
  }

  async put(key: ObjectKey): Promise<PutOutcome> {
    throw new Error(`${objectKey(key)} cannot be put: the selection is for readers`);
  }

  async delete(key: ObjectKey): Promise<void> {
    throw new Error(`${objectKey(key)} cannot be removed: the selection is for readers`);
  }
}
