import type {
  ListRequest,
  ObjectBody,
  ObjectKey,
  PutCondition,
} from "../../../src/storage/object-store.ts";
import { MemoryObjectStore } from "./memory-object-store.ts";

/** What happens beside a call; lists say their prefix. */
export type StoreHook = (key: string, kind: "get" | "put" | "list" | "delete") => Promise<void>;

/** A store in memory in whose calls a test lets others act. Calls of a hook have no hooks. */
export class HookedObjectStore extends MemoryObjectStore {
  /** Runs before a call takes effect. */
  before: StoreHook | undefined;
  /** Runs after a put or a delete took effect, before its answer. */
  after: StoreHook | undefined;
  /** Runs after a range was read, before its answer. */
  afterRange: StoreHook | undefined;
  #isIn = false;

  override async get(key: ObjectKey) {
    await this.#run(this.before, key, "get");
    return super.get(key);
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    const bytes = await super.getRange(key, start, end);
    await this.#run(this.afterRange, key, "get");
    return bytes;
  }

  override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
    await this.#run(this.before, key, "put");
    const outcome = await super.put(key, body, condition);
    await this.#run(this.after, key, "put");
    return outcome;
  }

  override async list(request: ListRequest) {
    await this.#run(this.before, request.prefix, "list");
    return super.list(request);
  }

  override async delete(key: ObjectKey) {
    await this.#run(this.before, key, "delete");
    await super.delete(key);
    await this.#run(this.after, key, "delete");
  }

  async #run(hook: StoreHook | undefined, key: string, kind: Parameters<StoreHook>[1]) {
    if (hook === undefined || this.#isIn) return;
    this.#isIn = true;
    try {
      await hook(key, kind);
    } finally {
      this.#isIn = false;
    }
  }
}
