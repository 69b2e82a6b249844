/** Who has made a request, as the audit names it. */
export interface AuditActor {
  /** Id of the key. */
  readonly key: string;
  readonly name: string;
  /** By a token that the key has signed. */
  readonly token?: true;
}
