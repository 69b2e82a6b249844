/** The parts of a write's body put together, and the rules between them. */

import { invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { JsonObject } from "../../model/json-value.ts";
import {
  type LooseColumn,
  type LooseDocuments,
  looseCount,
  type WriteRequest,
} from "../../model/write-request.ts";
import { booleanAt, present } from "../json/json-shape.ts";
import { parseCondition, parseFilter } from "../query/parse-filter.ts";
import {
  parseBranch,
  parseCopy,
  parseDistanceMetric,
  parseEncryption,
  parsePatchByFilter,
  parseSchemaMap,
  parseSharding,
} from "./parse-write-members.ts";

/** The lists that a body has, each read to its end. */
export interface WriteLists {
  readonly upsert_rows?: { finish(): Steps<LooseDocuments> };
  readonly upsert_columns?: { finish(): Steps<LooseDocuments> };
  readonly patch_rows?: { finish(): Steps<LooseDocuments> };
  readonly patch_columns?: { finish(): Steps<LooseDocuments> };
  readonly deletes?: { finish(): Steps<LooseColumn> };
}

/** What the lists of a body have. */
export interface WriteOperations {
  readonly upserts: LooseDocuments | undefined;
  readonly patches: LooseDocuments | undefined;
  readonly deletes: LooseColumn | undefined;
}

/** Ends the lists, in steps. Throws where columns do not fit each other, or lists come twice. */
export function* finishLists(lists: WriteLists): Steps<WriteOperations> {
  const upserts = yield* documentsOf(lists, "upsert_rows", "upsert_columns");
  const patches = yield* documentsOf(lists, "patch_rows", "patch_columns");
  const deletes = lists.deletes && (yield* lists.deletes.finish());
  return { upserts, patches, deletes };
}

/** What a copy may be combined with. A branch stands alone. */
const COPY_COMPANIONS: readonly string[] = ["copy_from_namespace", "encryption", "sharding"];

/**
 * Makes the request of its `members`, none of which is null, and what its `lists` have; throws
 * where a member is wrong in itself or beside the others.
 */
export function buildWriteRequest(
  members: JsonObject,
  lists: WriteLists,
  { upserts, patches, deletes }: WriteOperations,
  bodyBytes: number,
): WriteRequest {
  checkCopy(members, lists);
  checkConditions(members, { upserts, patches, deletes });
  const metric = members.get("distance_metric");
  const creates = present(members, "create_namespace");
  const schema = members.get("schema");
  const shards = members.get("sharding");
  const request: WriteRequest = {
    ...(upserts !== undefined && { upserts }),
    ...(patches !== undefined && { patches }),
    ...(deletes !== undefined && { deletes }),
    ...filterMembers(members),
    ...copyMembers(members),
    deleteByFilterAllowPartial: flag(members, "delete_by_filter_allow_partial"),
    patchByFilterAllowPartial: flag(members, "patch_by_filter_allow_partial"),
    returnAffectedIds: flag(members, "return_affected_ids"),
    ...(metric !== undefined && { distanceMetric: parseDistanceMetric(metric) }),
    ...(schema !== undefined && { schema: parseSchemaMap("schema", schema) }),
    ...(shards !== undefined && { shardCount: parseSharding(shards) }),
    disableBackpressure: backpressureFlag(members, patches !== undefined),
    ...(creates !== undefined && { createNamespace: booleanAt("create_namespace", creates) }),
    bodyBytes,
  };
  checkWork(request);
  return request;
}

/** The documents of one operation, which come as rows or as columns. */
function* documentsOf(
  lists: WriteLists,
  rowsName: "upsert_rows" | "patch_rows",
  columnsName: "upsert_columns" | "patch_columns",
): Steps<LooseDocuments | undefined> {
  const rows = lists[rowsName] && (yield* lists[rowsName].finish());
  const columns = lists[columnsName] && (yield* lists[columnsName].finish());
  if (!rows || !columns) return rows ?? columns;
  if (columns.count === 0) return rows;
  if (rows.count === 0) return columns;
  throw invalid(`💔 cannot specify both ${rowsName} and ${columnsName}, use one of them`);
}

function filterMembers(members: JsonObject): Partial<WriteRequest> {
  const upsertCondition = members.get("upsert_condition");
  const patchCondition = members.get("patch_condition");
  const deleteCondition = members.get("delete_condition");
  const deleteByFilter = members.get("delete_by_filter");
  const patchByFilter = members.get("patch_by_filter");
  return {
    ...(upsertCondition !== undefined && {
      upsertCondition: parseCondition("upsert_condition", upsertCondition),
    }),
    ...(patchCondition !== undefined && {
      patchCondition: parseCondition("patch_condition", patchCondition),
    }),
    ...(deleteCondition !== undefined && {
      deleteCondition: parseCondition("delete_condition", deleteCondition),
    }),
    ...(deleteByFilter !== undefined && {
      deleteByFilter: parseFilter("delete_by_filter", deleteByFilter),
    }),
    ...(patchByFilter !== undefined && { patchByFilter: parsePatchByFilter(patchByFilter) }),
  };
}

function copyMembers(members: JsonObject): Partial<WriteRequest> {
  const copy = members.get("copy_from_namespace");
  const branch = members.get("branch_from_namespace");
  const encryption = members.get("encryption");
  const own =
    encryption === undefined ? {} : { encryption: parseEncryption("encryption", encryption) };
  if (branch !== undefined) return { copyFrom: parseBranch(branch), ...own };
  if (copy === undefined) return own;
  const { source, encryption: inner } = parseCopy(copy);
  if (inner !== undefined && encryption !== undefined) {
    throw invalid("💔 cannot specify both encryption and copy_from_namespace.dest_encryption");
  }
  return { copyFrom: source, ...(inner === undefined ? own : { encryption: inner }) };
}

/** Empty lists are legal beside something to do; a request without anything is a mistake. */
function checkWork(request: WriteRequest): void {
  const { upserts, patches, deletes, schema, copyFrom, encryption, createNamespace } = request;
  const { deleteByFilter, patchByFilter } = request;
  const lists = [upserts?.count, patches?.count, deletes && looseCount(deletes)];
  if (lists.some((count = 0) => count > 0) || createNamespace === true) return;
  const others = [schema, copyFrom, encryption, deleteByFilter, patchByFilter];
  if (others.some((member) => member !== undefined)) return;
  throw invalid(
    "💔 no writes provided: the request has no documents, ids or filters, no schema, and nothing " +
      "to create",
  );
}

/** A flag that is off asks for nothing, unless it forbids to create what a copy creates. */
function checkCopy(members: JsonObject, lists: WriteLists): void {
  const copies = members.has("copy_from_namespace");
  const name = copies ? "copy_from_namespace" : "branch_from_namespace";
  if (!members.has(name)) return;
  const allowed = copies ? COPY_COMPANIONS : ["branch_from_namespace"];
  const asked = [...members]
    .filter(([member, value]) => value !== false || member === "create_namespace")
    .map(([member]) => member);
  const others = [...asked, ...Object.keys(lists)].filter((member) => !allowed.includes(member));
  if (others.length === 0) return;
  throw invalid(
    `💔 ${name} cannot be used with other write request fields, but the request has ` +
      `\`${others[0]}\``,
  );
}

function checkConditions(members: JsonObject, operations: WriteOperations): void {
  const rules = [
    ["upsert_condition", operations.upserts, "upsert_rows or upsert_columns"],
    ["patch_condition", operations.patches, "patch_rows or patch_columns"],
    ["delete_condition", operations.deletes, "deletes"],
  ] as const;
  for (const [condition, operation, needed] of rules) {
    if (operation !== undefined || !members.has(condition)) continue;
    throw invalid(`💔 ${condition} requires ${needed}`);
  }
}

/** Filters, conditions and patches read what is there, which backpressure keeps within bounds. */
function backpressureFlag(members: JsonObject, hasPatches: boolean): boolean {
  if (!flag(members, "disable_backpressure")) return false;
  const readers = [
    "upsert_condition",
    "patch_condition",
    "delete_condition",
    "delete_by_filter",
    "patch_by_filter",
  ].filter((name) => members.has(name));
  if (hasPatches) readers.push("patches");
  if (readers.length === 0) return true;
  throw invalid(
    "💔 disable_backpressure can only be used with upserts and deletes by id, " +
      `not with ${readers[0]}`,
  );
}

function flag(members: JsonObject, name: string): boolean {
  const value = present(members, name);
  return value === undefined ? false : booleanAt(name, value);
}
