/**
 * Where the console is: screen, namespace and the screen's own state, all of it in the address, so
 * that each state can be linked to and gone back to.
 */

import { type ReadonlySignal, signal } from "@preact/signals";

/** Screens about the whole server, and what their addresses are called. */
const SERVER_SCREENS = ["namespaces", "import", "operation"] as const;
/** Screens about one namespace. */
const NAMESPACE_SCREENS = ["documents", "query", "explain", "relevance", "map"] as const;

/** Names of screens. */
export type ScreenName = (typeof SERVER_SCREENS)[number] | (typeof NAMESPACE_SCREENS)[number];

/** See the file's head. */
export interface Route {
  /** Undefined: the address means nothing. */
  readonly screen: ScreenName | undefined;
  readonly namespace: string | undefined;
  /** The screen's own state, as the address's query string has it. */
  readonly parameters: URLSearchParams;
}

const ROOT = "/console/";

/** Reads an address. */
export function parseRoute(path: string, search: string): Route {
  const parameters = new URLSearchParams(search);
  const nowhere = { screen: undefined, namespace: undefined, parameters };
  let segments: string[];
  try {
    segments = path.slice(ROOT.length).split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return nowhere;
  }
  const [first = "namespaces", namespace, second = "documents", ...more] = segments;
  if (namespace === undefined) {
    const screen = SERVER_SCREENS.find((name) => name === first);
    return screen === undefined ? nowhere : { screen, namespace, parameters };
  }
  const screen = NAMESPACE_SCREENS.find((name) => name === second);
  if (first !== "namespaces" || screen === undefined || more.length > 0) return nowhere;
  return { screen, namespace, parameters };
}

/** The address of a screen; parameters that are undefined or empty are left out. */
export function routePath(
  screen: ScreenName,
  namespace?: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const path =
    namespace === undefined
      ? `${ROOT}${screen}`
      : `${ROOT}namespaces/${encodeURIComponent(namespace)}/${screen}`;
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) given.set(name, value);
  return given.size === 0 ? path : `${path}?${given}`;
}

const current = signal<Route>(
  typeof location === "undefined"
    ? parseRoute(ROOT, "")
    : parseRoute(location.pathname, location.search),
);

/** Where the console is now. */
export const currentRoute: ReadonlySignal<Route> = current;

/** Goes to an address of the console; `replace` leaves none behind to go back to. */
export function navigate(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  current.value = parseRoute(location.pathname, location.search);
}

/** Changes some of the screen's own state; undefined or empty values are taken out. */
export function setParameters(
  changes: Readonly<Record<string, string | undefined>>,
  options: { readonly replace?: boolean } = {},
): void {
  const parameters = new URLSearchParams(current.peek().parameters);
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  if (parameters.toString() === current.peek().parameters.toString()) return;
  navigate(`${location.pathname}${parameters.size === 0 ? "" : `?${parameters}`}`, options);
}

/** Follows the browser's history and the links of the page; once, at the start. */
export function followHistory(): void {
  addEventListener("popstate", () => {
    current.value = parseRoute(location.pathname, location.search);
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event)) return;
    const isOurs = link.origin === location.origin && link.pathname.startsWith(ROOT);
    if (!isOurs || link.target !== "" || link.hash !== "" || link.hasAttribute("download")) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

function isPlainClick(event: MouseEvent): boolean {
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey && !event.defaultPrevented;
}
