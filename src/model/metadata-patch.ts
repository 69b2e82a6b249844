/** A change of a namespace's settings, as `PATCH …/metadata` asks for it; absent members stay. */
export interface MetadataPatch {
  /** Null: no longer pinned. */
  readonly pinning?: { readonly replicas: number } | null;
  readonly readOnly?: boolean;
}
