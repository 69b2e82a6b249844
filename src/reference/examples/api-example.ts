/** Requests with their answers: what the reference shows, and what a test sends to a server. */

/** A request, as it is sent in the order of the examples. */
export interface ExampleRequest {
  /** The operation, as routes name it. */
  readonly operation: string;
  /** Unique, in lower case with dashes. */
  readonly name: string;
  readonly summary: string;
  /**
   * Parameters of the path; the namespace is `movies` unless it is named. What stands for a value
   * that differs each time (`EXAMPLE_VALUES`) is sent as an earlier answer had it.
   */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a text that is sent as it is. */
  readonly body?: unknown;
  /** Of the answer; by default 200. */
  readonly status?: number;
}

/** The namespace of examples that name none. */
export const EXAMPLE_NAMESPACE = "movies";

/** What stands in examples for values that differ each time, by operation and member, or member. */
export const EXAMPLE_VALUES: Readonly<Record<string, string | number>> = {
  "create_key.key": "tpuf_3kTqWb0YcXnV7LrPzGm5JdHs9AeUfQxR",
  "create_key.id": "4c1e8d0a97b25f36",
  "create_key.last_four": "fQxR",
  "list_keys.id": "4c1e8d0a97b25f36",
  "list_keys.last_four": "fQxR",
  "revoke_key.id": "4c1e8d0a97b25f36",
  "issue_token.token": "tput_eyJ2IjoxfQ.3q2-7w",
  "start_copy.token": "b8f2a6d31c90",
  "begin_backup.id": "5f3a91c7e2d4",
  "begin_restore.id": "c06b7d18f9aa",
  key: "namespaces/movies-table/0000000001/wal/00000000000000000001",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  bytes: 1234,
  generation: 1,
  sequence: 1,
  created_at: "2026-11-25T09:30:00.000000000Z",
  updated_at: "2026-11-25T09:30:00.000000000Z",
  last_write_at: "2026-11-25T09:30:00.000000000Z",
  last_included_write_at: "2026-11-25T09:30:00.000000000Z",
  last_used_at: "2026-11-25T09:30:00.000000000Z",
  expires_at: "2026-11-26T09:30:00.000000000Z",
  start_time: "2026-11-25T09:30:00.000000000Z",
  finish_time: "2026-11-25T09:30:01.000000000Z",
  cache_hit_ratio: 1,
  cache_temperature: "hot",
  server_total_ms: 3,
  query_execution_ms: 2,
  embedding_ms: 1,
  version: "0.2.0",
};
