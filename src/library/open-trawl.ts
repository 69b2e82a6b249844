/**
 * `import { openTrawl } from "trawl"`: the engine in a program's own process, without a port. Every
 * Node from 18 on can load this file, so that an old one gets an error that names the versions that
 * are supported. The engine is loaded by the first call, because its modules import what an old
 * Node does not have.
 */

import { nodeVersionFault } from "../base/node-version.ts";
import type { Trawl } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";
import type { TrawlOptions } from "./trawl-options.ts";

export type {
  MetadataAnswer,
  MultiQueryAnswer,
  QueryAnswer,
  QueryBilling,
  QueryPerformance,
  QueryResult,
  RecallAnswer,
  SchemaAnswer,
  StatusAnswer,
  WriteAnswer,
} from "./answers.ts";
export type { Columns, DocumentId, FoundRow, FoundRowOf, Row, RowOf } from "./document-types.ts";
export type { Filter, FilterOf } from "./filter-types.ts";
export type {
  ExplainParameters,
  MultiQueryParameters,
  NamespacesParameters,
  QueryParameters,
  RecallParameters,
  SubqueryParameters,
} from "./query-parameters.ts";
export type { RankBy, RankByOf } from "./rank-types.ts";
export type { CallOptions, Namespace, NamespaceList, NamespacePage, Trawl } from "./trawl.ts";
export { TrawlError } from "./trawl-error.ts";
export type { TrawlOptions } from "./trawl-options.ts";
export type {
  CopySource,
  DistanceMetric,
  MetadataParameters,
  Schema,
  WriteParameters,
} from "./write-parameters.ts";

/**
 * Opens the database. Rejects with a `TrawlError`: 400 for options, or if this Node is too old; 409
 * if another process, or an open Trawl of this process, holds the directory. The process stays
 * alive until the database is closed.
 */
export async function openTrawl(options: TrawlOptions = {}): Promise<Trawl> {
  const fault = nodeVersionFault(process.version);
  if (fault !== undefined) {
    throw new TrawlError(`${fault}; install one from https://nodejs.org`, { status: 400 });
  }
  const { openDatabase } = await import("./open-database.ts");
  return openDatabase(options);
}
