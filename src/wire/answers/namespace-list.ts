/** The listing of namespaces: its query parameters, its cursor and its answer. */

import { type DatabaseError, invalid, isDatabaseError } from "../../base/errors.ts";
import { type NamespaceName, namespaceName, namespaceNameFault } from "../../base/ids.ts";
import { LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX } from "../../model/contract-limits.ts";
import { decodeBase64, encodeBase64 } from "../json/base64.ts";
import { parseJson } from "../json/json-reader.ts";
import { jsonBytes } from "../json/json-writer.ts";
import { UnknownMembers } from "../json/unknown-members.ts";

/** What names are put behind when they are sorted (wire contract). */
const TABLE_SUFFIX = "-table/";

/** Which page is asked for. */
export interface ListParameters {
  /** Start of the wanted names. */
  readonly prefix: string;
  /** The last name of the page before. */
  readonly after: NamespaceName | undefined;
  readonly pageSize: number;
}

/** Query parameters of a listing. */
export const LIST_PARAMETERS: ReadonlySet<string> = new Set(["cursor", "prefix", "page_size"]);

/**
 * Reads a listing's query string: `cursor`, `prefix`, `page_size`; an empty cursor is none. Others
 * are noted in `unknown`, but for those that clients add by themselves.
 */
export function parseListParameters(
  parameters: Readonly<Record<string, string>>,
  unknown = new UnknownMembers(),
): ListParameters {
  for (const name of Object.keys(parameters)) {
    if (LIST_PARAMETERS.has(name) || name.startsWith("stainless_")) continue;
    unknown.note(name, LIST_PARAMETERS, () => `?${name}`);
  }
  const cursor = parameters.cursor ?? "";
  return {
    prefix: parameters.prefix ?? "",
    after: cursor === "" ? undefined : decodeListCursor(cursor),
    pageSize: parsePageSize(parameters.page_size),
  };
}

/** Encodes one page. A page that is full has a cursor, even if no name follows. */
export function encodeListAnswer(
  names: readonly NamespaceName[],
  pageSize: number,
): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => {
    json.raw('{"namespaces":[');
    for (const [i, name] of names.entries()) json.raw(`${i > 0 ? "," : ""}{"id":"${name}"}`);
    const last = names.length < pageSize ? undefined : names.at(-1);
    const cursor = last === undefined ? "null" : `"${encodeListCursor(last)}"`;
    json.raw(`],"next_cursor":${cursor}}`);
  });
}

/** Makes the cursor that goes on after `name`: unpadded base64 of a small JSON object. */
export function encodeListCursor(name: NamespaceName): string {
  const text = JSON.stringify({ continuation_token: null, start_after: `${name}${TABLE_SUFFIX}` });
  return encodeBase64(Buffer.from(text)).replace(/=+$/, "");
}

/** The name that a cursor goes on after. */
export function decodeListCursor(cursor: string): NamespaceName {
  const bytes = decodeBase64(cursor);
  if (bytes === undefined) throw badCursor();
  const startAfter = startAfterOf(bytes);
  if (!startAfter.endsWith(TABLE_SUFFIX)) throw badCursor();
  const name = startAfter.slice(0, -TABLE_SUFFIX.length);
  if (namespaceNameFault(name) !== undefined) throw badCursor();
  return namespaceName(name);
}

function startAfterOf(bytes: Uint8Array): string {
  try {
    const value = parseJson(bytes);
    const startAfter = value instanceof Map ? value.get("start_after") : undefined;
    return typeof startAfter === "string" ? startAfter : "";
  } catch (error) {
    // The reader's message speaks of the request's body, which this is not.
    if (isDatabaseError(error)) throw badCursor();
    throw error;
  }
}

function parsePageSize(text: string | undefined): number {
  if (text === undefined || text === "") return LIST_PAGE_SIZE_DEFAULT;
  const size = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (size >= 1 && size <= LIST_PAGE_SIZE_MAX) return size;
  throw invalid(
    `💔 Page size must be in range 1..=${LIST_PAGE_SIZE_MAX}, was ${text.slice(0, 32)}`,
  );
}

function badCursor(): DatabaseError {
  return invalid("💔 malformed cursor: use the `next_cursor` of the page before as it is");
}
