/** A change of a namespace's settings, as `PATCH …/metadata` asks for it. */
export interface MetadataPatch {
  /** Replicas to pin, at least 1; 0 removes the pinning; undefined leaves it as it is. */
  readonly pinnedReplicas: number | undefined;
  /** Undefined leaves it as it is. */
  readonly readOnly: boolean | undefined;
}
