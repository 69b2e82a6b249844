/** A namespace of a library. */

import type { OperationName } from "../api/engine.ts";
import type {
  MetadataAnswer,
  MultiQueryAnswer,
  QueryAnswer,
  RecallAnswer,
  SchemaAnswer,
  StatusAnswer,
  WriteAnswer,
} from "./answers.ts";
import type { EngineCalls } from "./call-engine.ts";
import type {
  ExplainParameters,
  MultiQueryParameters,
  QueryParameters,
  RecallParameters,
} from "./query-parameters.ts";
import type { CallOptions, Namespace } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";
import type {
  CopySource,
  MetadataParameters,
  Schema,
  WriteParameters,
} from "./write-parameters.ts";

/** Makes requests of calls, as the official client does. */
export class LibraryNamespace<Document> implements Namespace<Document> {
  readonly id: string;
  readonly #calls: EngineCalls;

  constructor(id: string, calls: EngineCalls) {
    this.id = id;
    this.#calls = calls;
  }

  write(
    parameters: WriteParameters<Document>,
    options?: CallOptions,
  ): Promise<WriteAnswer<Document>> {
    return this.#call("write", parameters ?? {}, options);
  }

  query(
    parameters: QueryParameters<Document>,
    options?: CallOptions,
  ): Promise<QueryAnswer<Document>> {
    return this.#call("query", parameters ?? {}, options);
  }

  multiQuery(
    parameters: MultiQueryParameters<Document>,
    options?: CallOptions,
  ): Promise<MultiQueryAnswer<Document>> {
    return this.#call("query", parameters ?? {}, options);
  }

  explainQuery(
    parameters: ExplainParameters<Document>,
    options?: CallOptions,
  ): Promise<{ readonly plan_text: string }> {
    return this.#call("explain", parameters ?? {}, options);
  }

  copyFrom(parameters: CopySource, options?: CallOptions): Promise<WriteAnswer<Document>> {
    return this.#call("write", { copy_from_namespace: parameters ?? {} }, options);
  }

  branchFrom(
    parameters: { readonly source_namespace: string },
    options?: CallOptions,
  ): Promise<WriteAnswer<Document>> {
    return this.#call("write", { branch_from_namespace: parameters ?? {} }, options);
  }

  deleteAll(_parameters?: null, options?: CallOptions): Promise<StatusAnswer> {
    return this.#call("delete_namespace", undefined, options);
  }

  schema(_parameters?: null, options?: CallOptions): Promise<SchemaAnswer> {
    return this.#call("get_schema", undefined, options);
  }

  updateSchema(
    parameters: { readonly schema: Schema },
    options?: CallOptions,
  ): Promise<SchemaAnswer> {
    return this.#call("update_schema", parameters?.schema ?? {}, options);
  }

  metadata(_parameters?: null, options?: CallOptions): Promise<MetadataAnswer> {
    return this.#call("get_metadata", undefined, options);
  }

  updateMetadata(parameters: MetadataParameters, options?: CallOptions): Promise<MetadataAnswer> {
    return this.#call("update_metadata", parameters ?? {}, options);
  }

  hintCacheWarm(_parameters?: null, options?: CallOptions): Promise<StatusAnswer> {
    return this.#call("warm_cache_hint", undefined, options);
  }

  recall(
    parameters: RecallParameters<Document> = {},
    options?: CallOptions,
  ): Promise<RecallAnswer> {
    return this.#call("recall", parameters, options);
  }

  async exists(): Promise<boolean> {
    try {
      await this.schema();
      return true;
    } catch (error) {
      if (error instanceof TrawlError && error.status === 404) return false;
      throw error;
    }
  }

  #call<T>(operation: OperationName, body: unknown, options?: CallOptions): Promise<T> {
    const call = { operation, namespace: this.id, apiVersion: versionOf(operation), body };
    return this.#calls.call<T>(call, options);
  }
}

/** The version of the address at which the official client makes the call. */
function versionOf(operation: OperationName): "v1" | "v2" {
  const isFirst = ["get_schema", "update_schema", "update_metadata", "warm_cache_hint", "recall"];
  return isFirst.includes(operation) ? "v1" : "v2";
}
