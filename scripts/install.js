/** The dependencies of a clone: what is locked, what is there, and how one becomes the other. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { npmCi } from "./npm.js";

/**
 * Installs the locked dependencies unless exactly they are there already. `withTools` asks for
 * those of development, too; where they are left out and nobody asks for them, they stay so.
 */
export async function ensureInstalled(root, withTools) {
  const locked = readJson(join(root, "package-lock.json"));
  const installed = readJson(join(root, "node_modules", ".package-lock.json"));
  const reason = whyStale(locked, installed, withTools);
  if (reason === undefined) return;
  const tools = withTools || hasTools(locked, installed) ? "--include=dev" : "--omit=dev";
  await npmCi(root, [tools], `dependencies with npm (${reason})`);
}

/**
 * Says why the installed tree is not the locked one, or returns undefined if it is. `locked` and
 * `installed` are npm's lock file and the copy that npm leaves in node_modules; without `withTools`
 * what only development needs may be missing.
 */
export function whyStale(locked, installed, withTools) {
  if (locked === undefined) throw new Error("package-lock.json is missing; restore it from git");
  if (installed === undefined) return "node_modules is missing";
  for (const [path, entry] of Object.entries(locked.packages)) {
    if (path === "" || entry.link) continue;
    const present = installed.packages[path];
    if (present === undefined) {
      // npm leaves out optional packages of other platforms, and peers that nothing asks for.
      if (entry.optional || entry.devOptional || entry.peer) continue;
      if (entry.dev && !withTools) continue;
      return `${nameOf(path)} is missing`;
    }
    if (present.version !== entry.version) {
      return `${nameOf(path)} is ${present.version}, locked is ${entry.version}`;
    }
  }
  return undefined;
}

/** Whether something is installed that only development needs. */
function hasTools(locked, installed) {
  if (installed === undefined) return false;
  return Object.keys(installed.packages).some((path) => locked.packages[path]?.dev === true);
}

/** The locked version of a package, whether it is installed or not. */
export function lockedVersion(root, name) {
  const locked = readJson(join(root, "package-lock.json"));
  if (locked === undefined) throw new Error("package-lock.json is missing; restore it from git");
  return locked.packages[`node_modules/${name}`].version;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
