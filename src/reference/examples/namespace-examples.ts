/** Examples about namespaces as a whole, checkpoints, backups, keys and the server. */

import { EXAMPLE_VALUES, type ExampleRequest } from "./api-example.ts";

const KEY_ID = String(EXAMPLE_VALUES["create_key.id"]);
const BACKUP_ID = String(EXAMPLE_VALUES["begin_backup.id"]);

/** They come last: some of them delete what others are about. */
export const NAMESPACE_EXAMPLES: readonly ExampleRequest[] = [
  {
    operation: "list_namespaces",
    name: "list",
    summary: "The first names that begin so",
    query: { prefix: "movies", page_size: "2" },
  },
  { operation: "get_metadata", name: "metadata", summary: "What is known of a namespace" },
  {
    operation: "update_metadata",
    name: "pin",
    summary: "Pin a namespace",
    body: { pinning: { replicas: 1 } },
  },
  {
    operation: "update_metadata",
    name: "unpin",
    summary: "Pin it no more, and refuse writes",
    body: { pinning: null, read_only: true },
  },
  {
    operation: "update_metadata",
    name: "writable",
    summary: "Allow writes again",
    body: { read_only: false },
  },
  {
    operation: "get_schema",
    name: "schema",
    summary: "All attributes",
    path: { namespace: "people" },
  },
  {
    operation: "update_schema",
    name: "declare",
    summary: "Declare an attribute, and change options of another",
    path: { namespace: "people" },
    body: { born: "datetime", name: { type: "string", fuzzy: true } },
  },
  { operation: "warm_cache_hint", name: "warm-hint", summary: "Queries will follow", status: 202 },
  { operation: "warm_cache", name: "warm", summary: "Read what queries need" },
  { operation: "purge_cache", name: "purge", summary: "Forget what was read" },
  {
    operation: "export_documents",
    name: "export",
    summary: "A page by column",
    path: { namespace: "people" },
  },
  { operation: "describe_namespace", name: "describe", summary: "Facts in headers" },
  {
    operation: "create_checkpoint",
    name: "checkpoint",
    summary: "Keep a state for a day",
    body: { name: "before-migration", expires_in_seconds: 86_400 },
  },
  { operation: "list_checkpoints", name: "checkpoints", summary: "All checkpoints" },
  {
    operation: "restore_checkpoint",
    name: "restore-checkpoint",
    summary: "Make a namespace of it",
    path: { checkpoint: "before-migration" },
    body: { as: "movies-before" },
  },
  {
    operation: "delete_checkpoint",
    name: "delete-checkpoint",
    summary: "Keep it no more",
    path: { checkpoint: "before-migration" },
  },
  {
    operation: "begin_backup",
    name: "backup",
    summary: "Keep a state and list its objects",
    body: { namespace: "passages" },
  },
  {
    operation: "read_backup",
    name: "backup-object",
    summary: "Read the first object",
    path: { id: BACKUP_ID, number: "0" },
  },
  {
    operation: "end_backup",
    name: "backup-end",
    summary: "The state is no longer needed",
    path: { id: BACKUP_ID },
  },
  {
    operation: "look_restore",
    name: "restore-unknown",
    summary: "A restore that is not under way",
    path: { id: "000000000000", number: "0" },
    status: 404,
  },
  {
    operation: "create_key",
    name: "key",
    summary: "A key that can only read",
    body: { name: "shop", actions: ["read"], namespaces: ["movies*"], expires_in: "1d" },
  },
  { operation: "list_keys", name: "keys", summary: "All keys" },
  { operation: "describe_caller", name: "caller", summary: "What this key may do" },
  {
    operation: "issue_token",
    name: "token",
    summary: "A token for a browser",
    body: { namespace: "movies", filter: ["genres", "Contains", "space"], expires_in: "1d" },
  },
  {
    operation: "revoke_key",
    name: "revoke",
    summary: "End the key",
    path: { id: KEY_ID },
  },
  {
    operation: "delete_namespace",
    name: "delete-namespace",
    summary: "Delete a namespace",
    path: { namespace: "movies-next" },
  },
  { operation: "root", name: "greeting", summary: "What answers here" },
  { operation: "health", name: "alive", summary: "It is alive" },
  { operation: "readiness", name: "ready", summary: "It is ready" },
];
