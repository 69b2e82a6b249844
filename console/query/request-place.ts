/** Whom a request goes to, as programs that repeat it need it. */
export interface RequestPlace {
  /** Address of the server, as `http://127.0.0.1:8484`, without a slash at the end. */
  readonly baseUrl: string;
  readonly namespace: string;
}

/** Tells whether the body is one of several queries, which the SDKs have a call of its own for. */
export function isMultiQuery(body: { readonly [name: string]: unknown }): boolean {
  return Array.isArray(body.queries);
}
