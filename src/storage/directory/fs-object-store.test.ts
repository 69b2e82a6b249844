import {
  describeObjectStore,
  LARGE_BODIES,
  MANY_KEYS,
} from "../../../test/conformance/object-store.ts";
import { effort } from "../../../test/support/effort.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { unsyncedFiles } from "../../../test/support/stores/unsynced-files.ts";
import { seededRandom } from "../../base/random.ts";
import { systemFiles } from "./file-system.ts";
import { FsObjectStore } from "./fs-object-store.ts";

/** What is synced, and when, is tested in fs-object-store.durability.test.ts. */
const files = effort({ usual: unsyncedFiles, full: systemFiles });

/** A directory has no pages, and bodies of any size are written piece by piece. */
const leftOut = effort({ usual: [LARGE_BODIES, MANY_KEYS], full: [] });

const open = async () => {
  const { path, remove } = await temporaryDirectory();
  const store = await FsObjectStore.open({ root: path, random: seededRandom(23), files });
  return { store, close: remove };
};

describeObjectStore("FsObjectStore", open, leftOut);
