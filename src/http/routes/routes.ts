/**
 * The API's routes: one table from method and path to operation, as the framework's router takes
 * it, and what is said where the router finds nothing. A path may carry one leading segment before
 * its version (`/{region}/v2/…`), because some clients can only be pointed at URLs that have one,
 * and a slash at its end; the router is asked without them.
 */

import type { OperationName } from "../../api/engine.ts";
import { assert } from "../../base/assert.ts";
import { namespaceNameFault } from "../../base/ids.ts";
import { nearestName } from "../../base/nearest-name.ts";
import type { PageSite } from "../pages/page-site.ts";
import { TRAWL_ROUTES, type TrawlRoute } from "./trawl-routes.ts";

type ApiVersion = "v1" | "v2";

/** One row of a table; segments of `path` after a `:` are parameters. */
export interface OwnRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  readonly path: string;
  readonly operation: OperationName;
}

/** One row of the API's table: `path` follows the version. */
export interface Route extends OwnRoute {
  readonly versions: readonly ApiVersion[];
}

const V1: readonly ApiVersion[] = ["v1"];
const V2: readonly ApiVersion[] = ["v2"];
const BOTH: readonly ApiVersion[] = ["v1", "v2"];
const NAMESPACE = "namespaces/:namespace";

/** Every operation of the API. */
export const ROUTES: readonly Route[] = [
  { method: "POST", versions: V2, path: NAMESPACE, operation: "write" },
  { method: "POST", versions: V2, path: `${NAMESPACE}/async`, operation: "start_copy" },
  { method: "POST", versions: V2, path: `${NAMESPACE}/query`, operation: "query" },
  { method: "POST", versions: V2, path: `${NAMESPACE}/explain_query`, operation: "explain" },
  { method: "DELETE", versions: BOTH, path: NAMESPACE, operation: "delete_namespace" },
  { method: "GET", versions: BOTH, path: "namespaces", operation: "list_namespaces" },
  { method: "GET", versions: BOTH, path: `${NAMESPACE}/metadata`, operation: "get_metadata" },
  { method: "PATCH", versions: BOTH, path: `${NAMESPACE}/metadata`, operation: "update_metadata" },
  { method: "GET", versions: BOTH, path: `${NAMESPACE}/schema`, operation: "get_schema" },
  { method: "POST", versions: BOTH, path: `${NAMESPACE}/schema`, operation: "update_schema" },
  {
    method: "GET",
    versions: BOTH,
    path: `${NAMESPACE}/hint_cache_warm`,
    operation: "warm_cache_hint",
  },
  { method: "POST", versions: BOTH, path: `${NAMESPACE}/_debug/recall`, operation: "recall" },
  // Old clients ask for the defaults without a body.
  { method: "GET", versions: BOTH, path: `${NAMESPACE}/_debug/recall`, operation: "recall" },
  {
    method: "GET",
    versions: BOTH,
    path: `${NAMESPACE}/operations/:token`,
    operation: "poll_operation",
  },
  {
    method: "GET",
    versions: BOTH,
    path: `${NAMESPACE}/_debug/purge_cache`,
    operation: "purge_cache",
  },
  {
    method: "GET",
    versions: BOTH,
    path: `${NAMESPACE}/_debug/warm_cache`,
    operation: "warm_cache",
  },
  { method: "GET", versions: V1, path: NAMESPACE, operation: "export_documents" },
  { method: "HEAD", versions: V1, path: NAMESPACE, operation: "describe_namespace" },
];

/** Operations that the API does not have: `path` follows `/trawl/`. */
export const OWN_ROUTES: readonly OwnRoute[] = [
  { method: "POST", path: `${NAMESPACE}/import`, operation: "import" },
  { method: "POST", path: "backups", operation: "begin_backup" },
  { method: "GET", path: "backups/:id/objects/:number", operation: "read_backup" },
  { method: "DELETE", path: "backups/:id", operation: "end_backup" },
  { method: "POST", path: "restores", operation: "begin_restore" },
  { method: "GET", path: "restores/:id/objects/:number", operation: "look_restore" },
  { method: "PUT", path: "restores/:id/objects/:number", operation: "put_restore" },
  { method: "POST", path: "restores/:id/finish", operation: "finish_restore" },
  { method: "DELETE", path: "restores/:id", operation: "end_restore" },
  { method: "POST", path: `${NAMESPACE}/checkpoints`, operation: "create_checkpoint" },
  { method: "GET", path: `${NAMESPACE}/checkpoints`, operation: "list_checkpoints" },
  {
    method: "DELETE",
    path: `${NAMESPACE}/checkpoints/:checkpoint`,
    operation: "delete_checkpoint",
  },
  {
    method: "POST",
    path: `${NAMESPACE}/checkpoints/:checkpoint/restore`,
    operation: "restore_checkpoint",
  },
];

/** Paths about the server itself; the API key is asked for where `guarded` says so. */
export const SERVICE_ROUTES = {
  "/": { name: "root", guarded: false },
  "/healthz": { name: "health", guarded: false },
  "/readyz": { name: "readiness", guarded: false },
  "/metrics": { name: "metrics", guarded: true },
  "/openapi.json": { name: "openapi", guarded: false },
} as const;

/** Where assistants' messages go; they come by POST alone, since no session is kept. */
const MCP_PATH = "/mcp";

/** One row of `SERVICE_ROUTES`. */
export type ServiceRoute = (typeof SERVICE_ROUTES)[keyof typeof SERVICE_ROUTES];

/** What a method and path ask for. */
export type RouteMatch =
  | {
      readonly kind: "operation";
      readonly route: OwnRoute;
      readonly apiVersion: ApiVersion;
      /** Decoded path parameters by name. */
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: "service"; readonly route: ServiceRoute }
  | { readonly kind: "page"; readonly site: PageSite }
  /** An assistant's message. */
  | { readonly kind: "mcp" }
  | {
      readonly kind: "trawl";
      readonly route: TrawlRoute;
      readonly parameters: Readonly<Record<string, string>>;
    }
  /** The message breaks a rule of HTTP, whatever it asks for. */
  | { readonly kind: "bad_message"; readonly status: 400 | 417; readonly fault: string }
  /** The namespace's name breaks a rule; `fault` is the contract's sentence. */
  | { readonly kind: "bad_namespace"; readonly fault: string }
  /** A percent escape that is none. */
  | { readonly kind: "malformed" }
  | { readonly kind: "wrong_method"; readonly allowed: readonly string[]; readonly nearest: string }
  | { readonly kind: "unknown"; readonly nearest: string };

interface RouteCandidate {
  readonly route: OwnRoute;
  readonly apiVersion: ApiVersion;
  readonly segments: readonly string[];
}

const CANDIDATES: readonly RouteCandidate[] = [
  ...ROUTES.flatMap((route) =>
    route.versions.map((apiVersion) => ({
      route,
      apiVersion,
      segments: [apiVersion, ...route.path.split("/")],
    })),
  ),
  ...OWN_ROUTES.map((route): RouteCandidate => {
    return { route, apiVersion: "v2", segments: ["trawl", ...route.path.split("/")] };
  }),
];

/** Methods and a URL as the router takes them, and what a request asks for that it finds. */
export interface RouterEntry {
  readonly methods: readonly string[];
  readonly url: string;
  /**
   * The router also finds paths that are not written as the table says (with escapes for plain
   * characters, say); they match nothing. `parameters` are the router's, decoded.
   */
  match(request: RouteRequest, parameters: Readonly<Record<string, string>>): RouteMatch;
}

/** What routes are told by. */
export interface RouteRequest {
  readonly method: string;
  /** As sent: undecoded, without the query string. */
  readonly path: string;
}

/** Without escapes, fragments and empty segments the router finds just what the table says. */
const PLAIN_PATH = /^(?:\/[\w.-]+)+\/?$/;

/** Everything that is served. */
export const ROUTER_ENTRIES: readonly RouterEntry[] = [
  mcpEntry(),
  ...Object.entries(SERVICE_ROUTES).map(([url, route]) => serviceEntry(url, route)),
  ...TRAWL_ROUTES.map((route) => trawlEntry(route)),
  ...CANDIDATES.map((candidate) => operationEntry(candidate)),
];

/** What a site of pages serves: all below its path. */
export function siteEntries(site: PageSite): readonly RouterEntry[] {
  const match: RouterEntry["match"] = (request) =>
    request.path === site.path || request.path.startsWith(`${site.path}/`)
      ? { kind: "page", site }
      : explainMiss(request);
  return [site.path, `${site.path}/*`].map((url) => ({ methods: ["GET", "HEAD"], url, match }));
}

/** Where an operation of the API is asked for, and what is matched there. */
export function operationAddress(
  operation: OperationName,
  namespace?: string,
): { readonly method: OwnRoute["method"]; readonly path: string; readonly match: RouteMatch } {
  const candidate = CANDIDATES.find(({ route }) => route.operation === operation);
  assert(candidate !== undefined, `no route asks for ${operation}`);
  const { route, segments } = candidate;
  const filled = segments.map((part) =>
    // A half of a surrogate pair, which no address can hold, is a bad name like all others.
    part === ":namespace" ? encodeURIComponent(namespace?.toWellFormed() ?? "") : part,
  );
  const parameters = namespace === undefined ? {} : { namespace };
  const match = matchParameters(candidate, parameters);
  return { method: route.method, path: `/${filled.join("/")}`, match };
}

function mcpEntry(): RouterEntry {
  const match: RouterEntry["match"] = (request) =>
    request.path === MCP_PATH ? { kind: "mcp" } : explainMiss(request);
  return { methods: ["POST"], url: MCP_PATH, match };
}

function trawlEntry(route: TrawlRoute): RouterEntry {
  const segments = route.path.split("/").slice(1);
  const match: RouterEntry["match"] = (request, parameters) =>
    fits(segments, request.path.split("/").slice(1))
      ? { kind: "trawl", route, parameters }
      : explainMiss(request);
  return { methods: [route.method], url: route.path, match };
}

function serviceEntry(url: string, route: ServiceRoute): RouterEntry {
  const match = (request: RouteRequest): RouteMatch =>
    request.path === url ? { kind: "service", route } : explainMiss(request);
  return { methods: ["GET", "HEAD"], url, match };
}

function operationEntry(candidate: RouteCandidate): RouterEntry {
  const { route, segments } = candidate;
  const url = `/${segments.join("/")}`;
  const isHead = (other: RouteCandidate) =>
    other.route.method === "HEAD" && `/${other.segments.join("/")}` === url;
  const servesHead = route.method === "GET" && !CANDIDATES.some(isHead);
  const match: RouterEntry["match"] = (request, parameters) =>
    PLAIN_PATH.test(request.path) || fits(segments, apiSegments(request.path))
      ? matchParameters(candidate, parameters)
      : explainMiss(request);
  return { methods: servesHead ? ["GET", "HEAD"] : [route.method], url, match };
}

/** The URL that the router is asked for: without the leading segment and the last slash. */
export function routedUrl(url: string): string {
  const queryStart = url.indexOf("?");
  const end = queryStart < 0 ? url.length : queryStart;
  const second = url.indexOf("/", 1);
  const isPrefixed = !isVersion(url.slice(1, second)) && /^\/v[12]\//.test(url.slice(second, end));
  const pathEnd = end > 1 && url[end - 1] === "/" ? end - 1 : end;
  const start = isPrefixed && second < pathEnd ? second : 0;
  return url.slice(start, pathEnd) + url.slice(end);
}

/** Says why the router found nothing. */
export function explainMiss({ method, path }: RouteRequest): RouteMatch {
  if (Object.hasOwn(SERVICE_ROUTES, path)) {
    return { kind: "wrong_method", allowed: ["GET", "HEAD"], nearest: `GET ${path}` };
  }
  if (path === MCP_PATH) {
    return { kind: "wrong_method", allowed: ["POST"], nearest: `POST ${MCP_PATH}` };
  }
  if (path.startsWith("/trawl/")) return explainTrawlMiss({ method, path });
  const segments = apiSegments(path);
  const fitting = CANDIDATES.filter((candidate) => fits(candidate.segments, segments));
  if (fitting.length === 0) return { kind: "unknown", nearest: nearestRoute(method, segments) };
  const methods = new Set<string>(fitting.map(({ route }) => route.method));
  // The router refuses only what it cannot decode.
  if (methods.has(method === "HEAD" && !methods.has("HEAD") ? "GET" : method)) {
    return { kind: "malformed" };
  }
  // Below a namespace a path has one purpose, so the method is what is wrong.
  const [first] = fitting;
  const nearest = segments.length > 3 ? shownRoute(first) : nearestRoute(method, segments);
  return { kind: "wrong_method", allowed: [...methods].sort(), nearest };
}

function explainTrawlMiss({ method, path }: RouteRequest): RouteMatch {
  const segments = path.split("/").slice(1);
  const all = [
    ...TRAWL_ROUTES,
    ...OWN_ROUTES.map((route) => ({ ...route, path: `/trawl/${route.path}` })),
  ];
  const fitting = all.filter((route) => fits(route.path.split("/").slice(1), segments));
  const shown = (fitting[0] ? fitting : all).map((route) => `${route.method} ${route.path}`);
  const nearest = nearestName(`${method} ${path}`, shown);
  if (fitting.length === 0) return { kind: "unknown", nearest: nearest as string };
  const methods: string[] = fitting.map((route) => route.method);
  if (methods.some((served) => served === method)) return { kind: "malformed" };
  return { kind: "wrong_method", allowed: methods.sort(), nearest: nearest as string };
}

/** Splits a path, without the optional leading segment and without an empty last one. */
function apiSegments(path: string): readonly string[] {
  const segments = path.split("/").slice(1);
  if (segments.length > 1 && segments.at(-1) === "") segments.pop();
  const prefixed = !isVersion(segments[0]) && isVersion(segments[1]);
  return prefixed ? segments.slice(1) : segments;
}

/** The leading segment before the version (decoded), where a path has one. */
export function regionOf(path: string): string | undefined {
  // Asked of each request; most have none.
  if (path.startsWith("/v2/") || path.startsWith("/v1/")) return undefined;
  const [, first, second] = path.split("/", 3);
  if (isVersion(first) || !isVersion(second)) return undefined;
  try {
    return decodeURIComponent(first);
  } catch {
    return first;
  }
}

function isVersion(segment: string | undefined): boolean {
  return segment === "v1" || segment === "v2";
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(":") ? segments[i] !== "" : part === segments[i]))
  );
}

function matchParameters(
  { route, apiVersion }: RouteCandidate,
  parameters: Readonly<Record<string, string>>,
): RouteMatch {
  const { namespace } = parameters;
  const fault = namespace === undefined ? undefined : namespaceNameFault(namespace);
  if (fault !== undefined) return { kind: "bad_namespace", fault };
  return { kind: "operation", route, apiVersion, parameters };
}

/**
 * The route that looks most like the request: one of another version with the same path, or of
 * those with its method if there are any.
 */
function nearestRoute(method: string, segments: readonly string[]): string {
  const [, ...rest] = segments;
  const elsewhere = CANDIDATES.filter((candidate) => fits(candidate.segments.slice(1), rest));
  const moved = segments.length > 3 ? elsewhere : [];
  const all = moved.length > 0 ? moved : CANDIDATES;
  const sameMethod = all.filter(({ route }) => route.method === method);
  const shown = (sameMethod.length > 0 ? sameMethod : all).map(shownRoute);
  const name = segments.indexOf("namespaces") + 1 || 2;
  if (WRITE_WORDS.has(segments[name + 1])) return `POST /v2/${NAMESPACE}`;
  const general = segments.map((segment, i) => (i === name ? ":namespace" : segment)).join("/");
  return nearestName(`${method} /${general}`, shown) as string;
}

/** What clients of other services put behind the namespace to write to it. */
const WRITE_WORDS: ReadonlySet<string | undefined> = new Set(
  "upsert,write,insert,index,documents,vectors,points,rows,delete,patch".split(","),
);

function shownRoute({ route, segments }: RouteCandidate): string {
  return `${route.method} /${segments.join("/")}`;
}
