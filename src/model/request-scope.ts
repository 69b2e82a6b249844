import type { NamespacePatterns } from "./namespace-pattern.ts";

/** What one request may see beside what its route names; set by the key that it came with. */
export interface RequestScope {
  /** Whose it is, as messages name it: `key "search" (…x7Qa)`. */
  readonly holder: string;
  /** Namespaces that its answer may name. */
  readonly visible: NamespacePatterns;
  /** Namespaces that it may copy and branch from. */
  readonly readable: NamespacePatterns;
  /** A filter as JSON that every query must meet, beside its own. */
  readonly forcedFilter?: string;
}
