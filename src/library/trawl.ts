/**
 * Trawl in a program of one's own, as its users see it. The calls, their parameters and their
 * answers are those of the official client: code written for one runs on the other.
 */

import type {
  MetadataAnswer,
  MultiQueryAnswer,
  QueryAnswer,
  RecallAnswer,
  SchemaAnswer,
  StatusAnswer,
  WriteAnswer,
} from "./answers.ts";
import type {
  ExplainParameters,
  MultiQueryParameters,
  NamespacesParameters,
  QueryParameters,
  RecallParameters,
} from "./query-parameters.ts";
import type {
  CopySource,
  MetadataParameters,
  Schema,
  WriteParameters,
} from "./write-parameters.ts";

/** What every call may be told. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. A write may have taken effect by then. */
  readonly signal?: AbortSignal;
}

/**
 * One namespace, which need not be there yet: the first write makes it. Calls reject with a
 * `TrawlError`. TypeScript checks documents, filters and rankings if `Document` is given.
 */
export interface Namespace<Document = unknown> {
  /** Its name. */
  readonly id: string;
  /** Stores, changes and deletes documents; durable once it resolves. */
  write(
    parameters: WriteParameters<Document>,
    options?: CallOptions,
  ): Promise<WriteAnswer<Document>>;
  /** Finds documents, or aggregates them. */
  query(
    parameters: QueryParameters<Document>,
    options?: CallOptions,
  ): Promise<QueryAnswer<Document>>;
  /** Answers several queries over one state of the namespace. */
  multiQuery(
    parameters: MultiQueryParameters<Document>,
    options?: CallOptions,
  ): Promise<MultiQueryAnswer<Document>>;
  /** Says how a query would be answered. */
  explainQuery(
    parameters: ExplainParameters<Document>,
    options?: CallOptions,
  ): Promise<{ readonly plan_text: string }>;
  /** Makes this namespace a copy of another one. */
  copyFrom(parameters: CopySource, options?: CallOptions): Promise<WriteAnswer<Document>>;
  /** Makes this namespace a branch of another one, with which it shares what is stored. */
  branchFrom(
    parameters: { readonly source_namespace: string },
    options?: CallOptions,
  ): Promise<WriteAnswer<Document>>;
  /** Deletes the namespace. */
  deleteAll(parameters?: null, options?: CallOptions): Promise<StatusAnswer>;
  /** Its attributes with their types and indexes. */
  schema(parameters?: null, options?: CallOptions): Promise<SchemaAnswer>;
  /** Adds attributes, or changes their indexes. */
  updateSchema(
    parameters: { readonly schema: Schema },
    options?: CallOptions,
  ): Promise<SchemaAnswer>;
  /** Its size, times, schema and index. */
  metadata(parameters?: null, options?: CallOptions): Promise<MetadataAnswer>;
  /** Sets what of its metadata can be set. */
  updateMetadata(parameters: MetadataParameters, options?: CallOptions): Promise<MetadataAnswer>;
  /** Reads what queries will need into the cache. */
  hintCacheWarm(parameters?: null, options?: CallOptions): Promise<StatusAnswer>;
  /** Measures the recall of approximate queries. */
  recall(parameters?: RecallParameters<Document>, options?: CallOptions): Promise<RecallAnswer>;
  /** Whether it is there. */
  exists(): Promise<boolean>;
}

/** One page of a list of namespaces, and all that follow. */
export interface NamespacePage extends AsyncIterable<{ readonly id: string }> {
  readonly namespaces: readonly { readonly id: string }[];
  /** Where the next page begins; empty on the last one. */
  readonly next_cursor: string;
  hasNextPage(): boolean;
  /** Rejects where there is none. */
  getNextPage(): Promise<NamespacePage>;
}

/** A list of namespaces: awaited it is its first page, iterated it is all of them. */
export interface NamespaceList
  extends PromiseLike<NamespacePage>,
    AsyncIterable<{ readonly id: string }> {}

/** An open database. */
export interface Trawl {
  /**
   * The namespace of this name; no request is made yet. `Document` is the type of its documents,
   * with `id`; the compiler alone knows it: stored documents may differ.
   */
  namespace<Document = unknown>(name: string): Namespace<Document>;
  /** The namespaces that there are, in the order of their names. */
  namespaces(parameters?: NamespacesParameters, options?: CallOptions): NamespaceList;
  /**
   * Lets the calls under way finish, ends the threads and releases the directory. Later calls
   * reject; a second call waits for the first.
   */
  close(): Promise<void>;
  /** Closes it at the end of the scope of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
