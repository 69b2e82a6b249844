/**
 * The API's routes: one table from method and path to operation, and the rules that paths follow.
 * A path may carry one leading segment before its version (`/{region}/v2/…`), because some clients
 * can only be pointed at URLs that have one.
 */

import type { OperationName } from "../api/engine.ts";
import { namespaceNameFault } from "../base/ids.ts";
import { nearestName } from "../base/nearest-name.ts";

type ApiVersion = "v1" | "v2";

/** One row of the table. `path` follows the version; segments after a `:` are parameters. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "HEAD";
  readonly versions: readonly ApiVersion[];
  readonly path: string;
  readonly operation: OperationName;
}

const V1: readonly ApiVersion[] = ["v1"];
const V2: readonly ApiVersion[] = ["v2"];
const BOTH: readonly ApiVersion[] = ["v1", "v2"];
const NAMESPACE = "namespaces/:namespace";

/** Every operation of the API. */
export const ROUTES: readonly Route[] = [
  { method: "POST", versions: V2, path: NAMESPACE, operation: "write" },
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

/** Paths about the server itself; the API key is asked for where `guarded` says so. */
export const SERVICE_ROUTES = {
  "/": { name: "root", guarded: false },
  "/healthz": { name: "health", guarded: false },
  "/readyz": { name: "readiness", guarded: false },
  "/metrics": { name: "metrics", guarded: true },
} as const;

/** One row of `SERVICE_ROUTES`. */
export type ServiceRoute = (typeof SERVICE_ROUTES)[keyof typeof SERVICE_ROUTES];

/** What a method and path ask for. */
export type RouteMatch =
  | {
      readonly kind: "operation";
      readonly route: Route;
      readonly apiVersion: ApiVersion;
      /** Decoded path parameters by name. */
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: "service"; readonly route: ServiceRoute }
  /** The namespace's name breaks a rule; `fault` is the contract's sentence. */
  | { readonly kind: "bad_namespace"; readonly fault: string }
  /** A percent escape that is none. */
  | { readonly kind: "malformed" }
  | { readonly kind: "wrong_method"; readonly allowed: readonly string[]; readonly nearest: string }
  | { readonly kind: "unknown"; readonly nearest: string };

interface Candidate {
  readonly route: Route;
  readonly apiVersion: ApiVersion;
  readonly segments: readonly string[];
}

const CANDIDATES: readonly Candidate[] = ROUTES.flatMap((route) =>
  route.versions.map((apiVersion) => ({
    route,
    apiVersion,
    segments: [apiVersion, ...route.path.split("/")],
  })),
);

/** Finds what `method` and `path` (as sent: undecoded, without the query string) ask for. */
export function matchRoute(method: string, path: string): RouteMatch {
  if (Object.hasOwn(SERVICE_ROUTES, path)) {
    if (method !== "GET" && method !== "HEAD") {
      return { kind: "wrong_method", allowed: ["GET", "HEAD"], nearest: `GET ${path}` };
    }
    const route = SERVICE_ROUTES[path as keyof typeof SERVICE_ROUTES];
    return { kind: "service", route };
  }
  const segments = apiSegments(path);
  const fitting = CANDIDATES.filter((candidate) => fits(candidate.segments, segments));
  if (fitting.length === 0) return { kind: "unknown", nearest: nearestRoute(method, segments) };
  const chosen =
    fitting.find(({ route }) => route.method === method) ??
    (method === "HEAD" ? fitting.find(({ route }) => route.method === "GET") : undefined);
  if (chosen !== undefined) return matchParameters(chosen, segments);
  const allowed = [...new Set(fitting.map(({ route }) => route.method))].sort();
  return { kind: "wrong_method", allowed, nearest: nearestRoute(method, segments) };
}

/** Splits a path, without the optional leading segment and without an empty last one. */
function apiSegments(path: string): readonly string[] {
  const segments = path.split("/").slice(1);
  if (segments.length > 1 && segments.at(-1) === "") segments.pop();
  const prefixed = !isVersion(segments[0]) && isVersion(segments[1]);
  return prefixed ? segments.slice(1) : segments;
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

function matchParameters(candidate: Candidate, segments: readonly string[]): RouteMatch {
  const parameters: Record<string, string> = {};
  for (const [i, part] of candidate.segments.entries()) {
    if (!part.startsWith(":")) continue;
    const decoded = decodeSegment(segments[i]);
    if (decoded === undefined) return { kind: "malformed" };
    parameters[part.slice(1)] = decoded;
  }
  const { namespace } = parameters;
  const fault = namespace === undefined ? undefined : namespaceNameFault(namespace);
  if (fault !== undefined) return { kind: "bad_namespace", fault };
  const { route, apiVersion } = candidate;
  return { kind: "operation", route, apiVersion, parameters };
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The route that looks most like the request, of those with its method if there are any. */
function nearestRoute(method: string, segments: readonly string[]): string {
  const sameMethod = CANDIDATES.filter(({ route }) => route.method === method);
  const shown = (sameMethod.length > 0 ? sameMethod : CANDIDATES).map(
    (candidate) => `${candidate.route.method} /${candidate.segments.join("/")}`,
  );
  const general = segments.map((segment, i) => (i === 2 ? ":namespace" : segment)).join("/");
  // Hints need the beginning only, and the comparison's cost grows with the length.
  return nearestName(`${method} /${general}`.slice(0, 200), shown) as string;
}
