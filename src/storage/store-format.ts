/**
 * A mark of the format of a whole store, `format/v<version>`: an empty object, whose key says it
 * all. Programs look for it before they change anything, so that one which is too old for what is
 * in a store leaves it alone. A store without a mark is new, unless a development version before
 * 0.2.0 wrote it: it then has a mark `format/<20 digits>`, or namespaces and no mark at all.
 */

import { DatabaseError } from "../base/errors.ts";
import {
  DEVELOPMENT_FORMAT,
  FORMAT_VERSIONS,
  type FormatVersions,
  readableVersions,
} from "../base/format-versions.ts";
import { FORMAT_PREFIX, formatKey, NAMESPACES_PREFIX, parseFormatKey } from "./object-keys.ts";
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
  versions: FormatVersions = FORMAT_VERSIONS.store,
): Promise<boolean> {
  const { oldest, newest } = versions;
  let marks = await listMarks(store);
  if (marks.length === 0) {
    if (!(await hasNamespaces(store))) return false;
    // Another server may have marked the store since, and made a namespace.
    marks = await listMarks(store);
  }
  const found = marks.flatMap((key) => parseFormatKey(key) ?? []);
  if (found.length === 0) throw developmentStore(name);
  const version = Math.max(...found);
  if (version > newest || version < oldest) {
    const readable = readableVersions(versions);
    const what = `its format has version ${version}, this program reads ${readable}`;
    const code = version > newest ? "too_new" : "too_old";
    const cure = code === "too_new" ? "start a newer program" : "start an older program";
    throw new DatabaseError(code, `cannot open ${name}: ${what}; ${cure}, or choose another store`);
  }
  return found.includes(newest);
}

async function listMarks(store: ObjectStore): Promise<string[]> {
  const marks: string[] = [];
  for await (const { keys } of storePages(store, { prefix: FORMAT_PREFIX })) marks.push(...keys);
  return marks;
}

async function hasNamespaces(store: ObjectStore): Promise<boolean> {
  const { keys } = await store.list({ prefix: NAMESPACES_PREFIX, limit: 1 });
  return keys.length > 0;
}

function developmentStore(name: string): DatabaseError {
  const cure = "export it with that version and import it into a new store (docs/upgrading.md)";
  return new DatabaseError("too_old", `cannot open ${name}: ${DEVELOPMENT_FORMAT}; ${cure}`);
}
