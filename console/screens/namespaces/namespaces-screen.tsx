/** The screen of all namespaces: found by name. */

import type { JSX } from "preact";

/** The list of namespaces. */
export function NamespacesScreen(): JSX.Element {
  return <h1>Namespaces</h1>;
}
