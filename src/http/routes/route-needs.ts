/** What each route needs of a key: the one table from what is asked for to an action. */

import type { KeyAction } from "../../access/api-key.ts";
import type { Need } from "../../access/caller.ts";
import type { OperationName } from "../../api/engine.ts";
import type { RouteMatch, ServiceRoute } from "./routes.ts";
import type { TrawlRoute } from "./trawl-routes.ts";

interface RouteNeed {
  /** Any of them is enough. */
  readonly actions: readonly KeyAction[];
  /** Completes "… is needed". */
  readonly what: string;
}

const OPERATION_NEEDS: Readonly<Record<OperationName, RouteNeed>> = {
  write: { actions: ["write"], what: "to write" },
  // What is copied from is looked at where the body is read: it needs `read` there.
  start_copy: { actions: ["write"], what: "to copy into a namespace" },
  query: { actions: ["read"], what: "to query" },
  explain: { actions: ["read"], what: "to explain queries" },
  delete_namespace: { actions: ["write"], what: "to delete a namespace" },
  list_namespaces: { actions: ["list"], what: "to list namespaces" },
  get_metadata: { actions: ["read"], what: "to read metadata" },
  update_metadata: { actions: ["write"], what: "to change metadata" },
  get_schema: { actions: ["read"], what: "to read a schema" },
  update_schema: { actions: ["write"], what: "to change a schema" },
  warm_cache_hint: { actions: ["read"], what: "to warm the cache" },
  recall: { actions: ["read"], what: "to measure recall" },
  // Copies and measurements are operations that run on.
  poll_operation: { actions: ["read", "write"], what: "to ask for an operation" },
  purge_cache: { actions: ["write"], what: "to purge the cache" },
  warm_cache: { actions: ["read"], what: "to warm the cache" },
  export_documents: { actions: ["read"], what: "to export documents" },
  import: { actions: ["write"], what: "to import documents" },
  describe_namespace: { actions: ["read"], what: "to describe a namespace" },
  begin_backup: { actions: ["admin"], what: "to back up" },
  read_backup: { actions: ["admin"], what: "to back up" },
  end_backup: { actions: ["admin"], what: "to back up" },
  begin_restore: { actions: ["admin"], what: "to restore" },
  look_restore: { actions: ["admin"], what: "to restore" },
  put_restore: { actions: ["admin"], what: "to restore" },
  finish_restore: { actions: ["admin"], what: "to restore" },
  end_restore: { actions: ["admin"], what: "to restore" },
  create_checkpoint: { actions: ["admin"], what: "to make a checkpoint" },
  list_checkpoints: { actions: ["admin"], what: "to list checkpoints" },
  delete_checkpoint: { actions: ["admin"], what: "to delete a checkpoint" },
  restore_checkpoint: { actions: ["admin"], what: "to restore a checkpoint" },
};

const METRICS_NEED: RouteNeed = { actions: ["list"], what: "for metrics of all namespaces" };

const TRAWL_NEEDS: Readonly<Record<TrawlRoute["name"], RouteNeed | undefined>> = {
  create_key: { actions: ["admin"], what: "to create keys" },
  list_keys: { actions: ["admin"], what: "to list keys" },
  revoke_key: { actions: ["admin"], what: "to revoke keys" },
  // What a token may is looked at where its body is read.
  issue_token: undefined,
  describe_caller: undefined,
  // Shapes of queries and names of attributes of all namespaces are in there.
  list_slow_queries: { actions: ["admin"], what: "to see slow queries" },
};

/** What a match needs of its caller's key; undefined: any key will do. */
export function needOf(match: RouteMatch): Need | undefined {
  switch (match.kind) {
    case "service":
      return serviceNeed(match.route);
    case "operation": {
      const { operation } = match.route;
      const { namespace } = match.parameters;
      const isQuery = operation === "query";
      const need = OPERATION_NEEDS[operation];
      // Which namespace is backed up, or made, is said in the body.
      if (isAdmins(need)) return { ...need, namespaces: EVERY, isQuery };
      const namespaces =
        namespace === undefined ? OWN : ({ kind: "one", name: namespace } as const);
      return { ...need, namespaces, isQuery };
    }
    case "trawl": {
      const need = TRAWL_NEEDS[match.route.name];
      return need && { ...need, namespaces: EVERY, isQuery: false };
    }
    default:
      return undefined;
  }
}

/** Whether a match is for those who have all rights: without keys, for this machine alone. */
export function isForAdmins(match: RouteMatch): boolean {
  if (match.kind === "operation") return isAdmins(OPERATION_NEEDS[match.route.operation]);
  return match.kind === "trawl" && isAdmins(TRAWL_NEEDS[match.route.name]);
}

function isAdmins(need: RouteNeed | undefined): boolean {
  return need?.actions.includes("admin") === true;
}

const OWN = { kind: "own" } as const;
const EVERY = { kind: "every" } as const;

function serviceNeed(route: ServiceRoute): Need | undefined {
  return route.guarded ? { ...METRICS_NEED, namespaces: EVERY, isQuery: false } : undefined;
}
