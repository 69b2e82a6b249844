/** All that is served, of all tables of routes, with what is said of it. */

import type { KeyAction } from "../access/api-key.ts";
import { needOf } from "../http/routes/route-needs.ts";
import { OWN_ROUTES, type OwnRoute, ROUTES, SERVICE_ROUTES } from "../http/routes/routes.ts";
import { TRAWL_ROUTES } from "../http/routes/trawl-routes.ts";
import type { OperationDoc } from "./operations/operation-doc.ts";
import { OPERATION_DOCS } from "./operations/operation-docs.ts";
import { SERVICE_DOCS, TRAWL_DOCS } from "./operations/server-docs.ts";

/** One method of one path. */
export interface ListedRoute {
  readonly method: string;
  /** Segments in braces are parameters. */
  readonly path: string;
  /** The operation, whichever path it was asked by. */
  readonly name: string;
  /** Unique over all routes: the name, where this is the path to use. */
  readonly id: string;
  readonly doc: OperationDoc;
  /** What the key must allow, any of it; empty: any key will do. Undefined: none is needed. */
  readonly actions: readonly KeyAction[] | undefined;
  /** Names in the path, in their order. */
  readonly parameters: readonly string[];
}

/** Every route once, the paths to use before their older names. */
export function listRoutes(): ListedRoute[] {
  const routes = [...apiRoutes(), ...trawlRoutes(), ...serviceRoutes()];
  const isAlias = ({ id, name }: ListedRoute) => id !== name;
  return [...routes.filter((route) => !isAlias(route)), ...routes.filter(isAlias)];
}

function apiRoutes(): ListedRoute[] {
  const seen = new Set<string>();
  const versioned = ROUTES.flatMap((route) =>
    [...route.versions].reverse().map((version) => ({ route, start: `/${version}/`, version })),
  );
  const own = OWN_ROUTES.map((route) => ({ route, start: "/trawl/", version: "trawl" }));
  return [...versioned, ...own].map(({ route, start, version }) => {
    const name = route.operation;
    const suffix = route.method === "GET" && seen.has(name) ? `${version}_get` : version;
    const id = seen.has(name) ? `${name}_${suffix}` : name;
    seen.add(name);
    return {
      ...shownPath(start + route.path),
      method: route.method,
      name,
      id,
      doc: OPERATION_DOCS[name],
      actions: operationActions(route),
    };
  });
}

function trawlRoutes(): ListedRoute[] {
  return TRAWL_ROUTES.map((route) => ({
    ...shownPath(route.path),
    method: route.method,
    name: route.name,
    id: route.name,
    doc: TRAWL_DOCS[route.name],
    actions: needOf({ kind: "trawl", route, parameters: {} })?.actions ?? [],
  }));
}

function serviceRoutes(): ListedRoute[] {
  return Object.entries(SERVICE_ROUTES).map(([path, route]) => ({
    ...shownPath(path),
    method: "GET",
    name: route.name,
    id: route.name,
    doc: SERVICE_DOCS[route.name],
    actions: needOf({ kind: "service", route })?.actions,
  }));
}

function operationActions(route: OwnRoute): readonly KeyAction[] {
  const match = { kind: "operation", route, apiVersion: "v2", parameters: {} } as const;
  return needOf(match)?.actions ?? [];
}

/** Parameters as OpenAPI writes them. */
function shownPath(path: string): Pick<ListedRoute, "path" | "parameters"> {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return { path: path.replace(/:(\w+)/g, "{$1}"), parameters };
}
