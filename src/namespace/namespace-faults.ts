/** Errors about namespaces as a whole, in the contract's words. */

import { DatabaseError } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";
import { similarName } from "../base/nearest-name.ts";

/** The error for a namespace that does not exist; it names the most alike of the `known` ones. */
export function namespaceNotFound(
  name: NamespaceName,
  known: readonly NamespaceName[] = [],
): DatabaseError {
  const similar = similarName(name, known);
  return new DatabaseError("not_found", `🤷 namespace '${name}' was not found`, {
    hint: similar === undefined ? undefined : `did you mean '${similar}'?`,
  });
}
