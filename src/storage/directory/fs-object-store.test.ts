import { describeObjectStore } from "../../../test/conformance/object-store.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { seededRandom } from "../../base/random.ts";
import { FsObjectStore } from "./fs-object-store.ts";

describeObjectStore("FsObjectStore", async () => {
  const { path, remove } = await temporaryDirectory();
  const store = await FsObjectStore.open({ root: path, random: seededRandom(23) });
  return { store, close: remove };
});
