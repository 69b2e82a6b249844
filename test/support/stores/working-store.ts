/** A store to break: tests override what it does wrong. */

import { StoreDecorator } from "../../../src/storage/store-decorator.ts";
import { MemoryObjectStore } from "./memory-object-store.ts";

/** A store that keeps all promises but what a test overrides. */
export class WorkingStore extends StoreDecorator {
  constructor() {
    super(new MemoryObjectStore());
  }
}
