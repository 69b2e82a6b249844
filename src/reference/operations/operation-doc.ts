/** What the reference says of an operation, beside its routes. */

import type { JsonSchema, JsonSchemas } from "../schemas/json-schema.ts";

/** Groups of operations, in the order in which they are shown. */
export const TAGS = {
  Documents: "Write documents, and bring in many.",
  Queries: "Find documents: by vectors, words, filters and numbers.",
  Namespaces: "List, describe, change and delete namespaces.",
  Operations: "What runs on after its request: copies and measurements.",
  Keys: "Who may do what. Not part of the turbopuffer API.",
  Checkpoints: "States of a namespace that are kept. Not part of the turbopuffer API.",
  Backups: "What `trawl backup` and `trawl restore` send. Not part of the turbopuffer API.",
  Server: "The server itself.",
} as const;

/** Name of a group. */
export type Tag = keyof typeof TAGS;

/** A body that is sent or answered. */
export interface ContentDoc {
  /** By default JSON. */
  readonly type?: string;
  readonly schema: JsonSchema;
}

/** An answer of one status. */
export interface AnswerDoc {
  readonly description: string;
  /** Absent: there is no body. */
  readonly content?: ContentDoc;
  readonly headers?: JsonSchemas;
}

/** See the file's head. */
export interface OperationDoc {
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated?: boolean;
  /** Parameters of the query string. */
  readonly query?: JsonSchemas;
  readonly body?: ContentDoc & { readonly isRequired: boolean };
  /** By status; errors are beside them. */
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Statuses of errors that not every operation of its kind has. */
  readonly errors?: readonly number[];
}
