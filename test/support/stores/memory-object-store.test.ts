import { describeObjectStore } from "../../conformance/object-store.ts";
import { MemoryObjectStore } from "./memory-object-store.ts";

describeObjectStore("MemoryObjectStore", async () => {
  return { store: new MemoryObjectStore(), close: async () => undefined };
});
