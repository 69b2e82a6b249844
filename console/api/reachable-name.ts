/** Names of namespaces that no browser can ask for. */

import { namespaceNameFault } from "../../src/base/ids.ts";

/**
 * Why requests of a browser do not reach the namespace; undefined: they do. A segment `.` or `..`
 * of a path is taken out of it before it is sent, also where it is escaped, so what follows would
 * be another path.
 */
export function unreachableReason(namespace: string): string | undefined {
  if (namespace !== "." && namespace !== "..") return undefined;
  return (
    `Browsers take “${namespace}” in an address for a folder, so the console cannot open this ` +
    "namespace; a branch or copy of it can be opened"
  );
}

/** Why `name` is no name for a namespace that the console is to work with. */
export function nameFault(name: string): string | undefined {
  return namespaceNameFault(name) ?? unreachableReason(name);
}

/** Whether a path is another one when a browser sends it. */
export function isFolded(path: string): boolean {
  return path.split("/").some((segment) => segment === "." || segment === "..");
}
