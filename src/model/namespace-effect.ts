/** What a request did to a namespace beside its documents. */
export type NamespaceEffect =
  | { readonly kind: "created" }
  | { readonly kind: "schema_changed" }
  /** It is filled from another one, or is about to be. */
  | { readonly kind: "copied" | "branched"; readonly source: string };
