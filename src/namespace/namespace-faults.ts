/** Errors about namespaces as a whole, in the contract's words. */

import { DatabaseError } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";
import { similarName } from "../base/nearest-name.ts";

/** No such namespace. */
export class NamespaceNotFound extends DatabaseError {
  readonly namespace: NamespaceName;

  constructor(namespace: NamespaceName, hint: string | undefined) {
    super("not_found", `🤷 namespace '${namespace}' was not found`, { hint });
    this.namespace = namespace;
  }
}

/** The error for a namespace that does not exist; it names the most alike of the `known` ones. */
export function namespaceNotFound(
  name: NamespaceName,
  known: readonly NamespaceName[] = [],
): NamespaceNotFound {
  const similar = similarName(name, known);
  return new NamespaceNotFound(name, similar && `did you mean '${similar}'?`);
}
