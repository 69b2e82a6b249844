/** Errors about namespaces as a whole, in the contract's words. */

import { DatabaseError } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";

/** The error for a namespace that does not exist. */
export function namespaceNotFound(name: NamespaceName): DatabaseError {
  return new DatabaseError("not_found", `🤷 namespace '${name}' was not found`);
}
