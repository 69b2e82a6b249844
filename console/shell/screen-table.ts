/**
 * The console's screens: what they are called and need, and how they are loaded when they are
 * opened. A screen is there when its line is.
 */

import type { ComponentType } from "preact";
import type { CallerAction } from "../api/caller.ts";
import type { ScreenName } from "../state/route.ts";

/** One screen. */
export interface ScreenEntry {
  readonly name: ScreenName;
  readonly title: string;
  /** It is about one namespace. */
  readonly ofNamespace: boolean;
  /** What the key needs, at the least. */
  readonly action: CallerAction;
  readonly load: () => Promise<ComponentType>;
}

/** All screens, in the order in which they are offered. */
export const SCREENS: readonly ScreenEntry[] = [
  {
    name: "namespaces",
    title: "Namespaces",
    ofNamespace: false,
    action: "list",
    load: async () =>
      (await import("../screens/namespaces/namespaces-screen.tsx")).NamespacesScreen,
  },
  {
    name: "documents",
    title: "Documents",
    ofNamespace: true,
    action: "read",
    load: async () => (await import("../screens/documents/documents-screen.tsx")).DocumentsScreen,
  },
  {
    name: "query",
    title: "Query",
    ofNamespace: true,
    action: "query",
    load: async () => (await import("../screens/query/query-screen.tsx")).QueryScreen,
  },
  {
    name: "explain",
    title: "Explain",
    ofNamespace: true,
    action: "read",
    load: async () => (await import("../screens/explain/explain-screen.tsx")).ExplainScreen,
  },
  {
    name: "import",
    title: "Import",
    ofNamespace: false,
    action: "write",
    load: async () => (await import("../screens/import/import-screen.tsx")).ImportScreen,
  },
  {
    name: "operation",
    title: "Operation",
    ofNamespace: false,
    action: "list",
    load: async () => (await import("../screens/operation/operation-screen.tsx")).OperationScreen,
  },
  {
    name: "relevance",
    title: "Relevance",
    ofNamespace: true,
    action: "read",
    load: async () => (await import("../screens/relevance/relevance-screen.tsx")).RelevanceScreen,
  },
  {
    name: "map",
    title: "Map",
    ofNamespace: true,
    action: "read",
    load: async () => (await import("../screens/map/map-screen.tsx")).MapScreen,
  },
];
