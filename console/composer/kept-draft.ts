/**
 * The query of a screen in the page's address, so that it can be linked to. One that is too long
 * for an address stays with the tab.
 */

import { setParameters } from "../state/route.ts";

/** Characters of an escaped query in an address: servers take 16 KiB of headers with all else. */
const ADDRESS_CHARS_MAX = 6000;

/** Name of the parameter. */
const QUERY = "q";
/** What stands in it for a query that the tab keeps. */
const IN_TAB = "tab";

/** Puts the query into the address; false: it is too long, and stays with this tab. */
export function keepQuery(namespace: string, text: string): boolean {
  const fits = encodeURIComponent(text).length <= ADDRESS_CHARS_MAX;
  if (!fits) {
    try {
      sessionStorage.setItem(storageName(namespace), text);
    } catch {
      // Without room it is lost with the page; the screen says that it is in no link.
    }
  }
  setParameters({ [QUERY]: fits ? text : IN_TAB }, { replace: true });
  return fits;
}

/** The query of an address; undefined where it has none. */
export function keptQuery(namespace: string, parameters: URLSearchParams): string | undefined {
  const text = parameters.get(QUERY);
  if (text !== IN_TAB) return text ?? undefined;
  try {
    return sessionStorage.getItem(storageName(namespace)) ?? undefined;
  } catch {
    return undefined;
  }
}

function storageName(namespace: string): string {
  return `trawl-query:${namespace}`;
}
