/**
 * A mark of the format of a whole store, `format/<version>`: an empty object, whose key says it
 * all. Programs look for it before they change anything, so that one which is too old for what is
 * in a store leaves it alone. A store without a mark is new, or of version 1, which had none.
 */

import { DatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS, type FormatVersions } from "../base/format-versions.ts";
import { FORMAT_PREFIX, formatKey, parseFormatKey } from "./object-keys.ts";
import { IF_ABSENT, type ObjectStore } from "./object-store.ts";
import { storePages } from "./store-pages.ts";

/**
 * Marks a store as being of the newest format. Throws `too_new` or `too_old`, and changes nothing,
 * where it is of one that this program does not read. `name` is that of the store.
 */
export async function claimFormat(
  store: ObjectStore,
  name: string,
  versions: FormatVersions = FORMAT_VERSIONS.store,
): Promise<void> {
  const { newest } = versions;
  const isMarked = await checkFormat(store, name, versions);
  if (!isMarked) await store.put(formatKey(newest), new Uint8Array(0), IF_ABSENT);
}

/** Throws as `claimFormat` does, and else tells whether the store is marked; changes nothing. */
export async function checkFormat(
  store: ObjectStore,
  name: string,
  { oldest, newest }: FormatVersions = FORMAT_VERSIONS.store,
): Promise<boolean> {
  const found: number[] = [];
  for await (const { keys } of storePages(store, { prefix: FORMAT_PREFIX }))
    found.push(...keys.flatMap((key) => parseFormatKey(key) ?? []));
  const version = Math.max(...found, 1);
  if (version > newest || version < oldest) {
    const readable = oldest === newest ? `${newest}` : `${oldest} to ${newest}`;
    const what = `its format has version ${version}, this program reads ${readable}`;
    const code = version > newest ? "too_new" : "too_old";
    const cure = code === "too_new" ? "start a newer program" : "start an older program";
    throw new DatabaseError(code, `cannot open ${name}: ${what}; ${cure}, or choose another store`);
  }
  return found.includes(newest);
}
