/** A namespace of a library. */

import type { OperationName } from "../api/engine.ts";
import type { EngineCalls } from "./call-engine.ts";
import type { CallOptions, Namespace } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";

/** Makes requests of calls, as the official client does. */
export class LibraryNamespace<Document> implements Namespace<Document> {
  readonly id: string;
  readonly #calls: EngineCalls;

  constructor(id: string, calls: EngineCalls) {
    this.id = id;
    this.#calls = calls;
  }

  readonly write: Namespace<Document>["write"] = (parameters, options) =>
    this.#call("write", parameters ?? {}, options);

  readonly query: Namespace<Document>["query"] = (parameters, options) =>
    this.#call("query", parameters ?? {}, options);

  readonly multiQuery: Namespace<Document>["multiQuery"] = (parameters, options) =>
    this.#call("query", parameters ?? {}, options);

  readonly explainQuery: Namespace<Document>["explainQuery"] = (parameters, options) =>
    this.#call("explain", parameters ?? {}, options);

  readonly copyFrom: Namespace<Document>["copyFrom"] = (parameters, options) =>
    this.#call("write", { copy_from_namespace: parameters ?? {} }, options);

  readonly branchFrom: Namespace<Document>["branchFrom"] = (parameters, options) =>
    this.#call("write", { branch_from_namespace: parameters ?? {} }, options);

  readonly deleteAll: Namespace["deleteAll"] = (_parameters, options) =>
    this.#call("delete_namespace", undefined, options);

  readonly schema: Namespace["schema"] = (_parameters, options) =>
    this.#call("get_schema", undefined, options);

  readonly updateSchema: Namespace["updateSchema"] = (parameters, options) =>
    this.#call("update_schema", parameters?.schema ?? {}, options);

  readonly metadata: Namespace["metadata"] = (_parameters, options) =>
    this.#call("get_metadata", undefined, options);

  readonly updateMetadata: Namespace["updateMetadata"] = (parameters, options) =>
    this.#call("update_metadata", parameters ?? {}, options);

  readonly hintCacheWarm: Namespace["hintCacheWarm"] = (_parameters, options) =>
    this.#call("warm_cache_hint", undefined, options);

  readonly recall: Namespace<Document>["recall"] = (parameters = {}, options) =>
    this.#call("recall", parameters, options);

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
