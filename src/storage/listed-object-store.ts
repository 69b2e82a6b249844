import type { ListPage, ListRequest, ObjectKey, ObjectStore } from "./object-store.ts";
import { StoreDecorator } from "./store-decorator.ts";

/** All keys under a prefix at one moment, in byte order. */
export interface PrefixListing {
  readonly prefix: string;
  readonly keys: readonly ObjectKey[];
}

/**
 * A store as one listing has shown it: listings under its prefix cost nothing, and objects that are
 * sure to be wanted can be asked for before their turn. What was put or removed since the listing
 * is seen by its bytes only, so whoever reads through this must be ready to find things missing,
 * and then look again without it. To be dropped soon.
 */
export class ListedObjectStore extends StoreDecorator {
  readonly #listing: PrefixListing;
  readonly #ahead = new Map<ObjectKey, Promise<Uint8Array | undefined>>();
  #aheadBytesMax = 0;

  constructor(store: ObjectStore, listing: PrefixListing) {
    super(store);
    this.#listing = listing;
  }

  /**
   * Starts to read objects, up to `bytesMax` bytes of each: a larger one is read anew when it is
   * got. To be called once.
   */
  readAhead(keys: readonly ObjectKey[], bytesMax: number): void {
    this.#aheadBytesMax = bytesMax;
    for (const key of keys) {
      const read = this.store.getRange(key, 0, bytesMax);
      read.catch(() => {}); // It fails for whoever gets it.
      this.#ahead.set(key, read);
    }
  }

  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    const ahead = this.#ahead.get(key);
    if (ahead === undefined) return this.store.get(key);
    this.#ahead.delete(key);
    const bytes = await ahead;
    const isWhole = bytes === undefined || bytes.length < this.#aheadBytesMax;
    return isWhole ? bytes : this.store.get(key);
  }

  override async list(request: ListRequest): Promise<ListPage> {
    const { prefix, startAfter = "", limit, delimiter } = request;
    if (delimiter !== undefined || !prefix.startsWith(this.#listing.prefix)) {
      return this.store.list(request);
    }
    const keys = this.#listing.keys.filter((key) => key.startsWith(prefix) && key > startAfter);
    return { keys: keys.slice(0, limit), prefixes: [], truncated: keys.length > limit };
  }
}
