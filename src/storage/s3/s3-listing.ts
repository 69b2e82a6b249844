import { isObjectKey, type ListPage, type ListRequest, type ObjectKey } from "../object-store.ts";

/** Entries of one page of a bucket's listing (S3's own limit). */
export const S3_PAGE_ENTRIES_MAX = 1_000;

/** One answer of a service, which may name objects that are not ours. */
export interface RawPage {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  readonly truncated: boolean;
  /** Where a truncated page goes on, also one without entries. */
  readonly token?: string | undefined;
}

/**
 * Asks the service for one page of at most `S3_PAGE_ENTRIES_MAX` entries; with the token of another
 * page, for the one after that.
 */
export type ListRaw = (
  request: ListRequest & { readonly token?: string | undefined },
) => Promise<RawPage>;

/** Greater than every text under a folder, also than those that are no keys of ours. */
const LAST = "\u{10ffff}";

/**
 * Lists as the interface says over the pages of a service. Four things differ: a service's pages
 * are bounded; they may be empty although more follows, where many objects were deleted whose
 * versions are kept; they may hold names that are no keys; and whether a folded prefix still comes
 * when a listing starts inside of it differs between services, so that is asked by a request of its
 * own.
 */
export async function listS3(request: ListRequest, listRaw: ListRaw): Promise<ListPage> {
  const { prefix, delimiter, limit } = request;
  const keys: ObjectKey[] = [];
  const prefixes: string[] = [];
  let startAfter = request.startAfter ?? "";
  const folder = delimiter === undefined ? undefined : folderOf(prefix, startAfter);
  if (folder !== undefined) {
    if (await holdsKeyAfter(folder, startAfter, listRaw)) prefixes.push(folder);
    startAfter = folder + LAST;
  }
  for (;;) {
    const wanted = limit - keys.length - prefixes.length;
    const page = await listSome(listRaw, {
      prefix,
      startAfter,
      // Of a page that is full already, one more entry tells whether it is truncated.
      limit: Math.min(Math.max(wanted, 1), S3_PAGE_ENTRIES_MAX),
      ...(delimiter !== undefined && { delimiter }),
    });
    if (wanted === 0) {
      return { keys, prefixes, truncated: page.keys.length + page.prefixes.length > 0 };
    }
    keys.push(...page.keys.filter(isObjectKey));
    prefixes.push(...page.prefixes.filter((folded) => isObjectKey(folded.slice(0, -1))));
    const isFull = keys.length + prefixes.length === limit;
    if (!page.truncated || isFull) return { keys, prefixes, truncated: page.truncated };
    const end = endOfRaw(page, startAfter);
    if (end === startAfter) throw endless();
    startAfter = end;
  }
}

/** The folder behind `prefix` that `startAfter` lies in, or undefined if it lies in none. */
function folderOf(prefix: string, startAfter: string): string | undefined {
  if (!startAfter.startsWith(prefix)) return undefined;
  const slash = startAfter.indexOf("/", prefix.length);
  return slash < 0 ? undefined : startAfter.slice(0, slash + 1);
}

async function holdsKeyAfter(
  folder: string,
  startAfter: string,
  listRaw: ListRaw,
): Promise<boolean> {
  if (startAfter >= `${folder}~`) return false; // `endOf` makes these; no key is greater.
  const { keys } = await listSome(listRaw, { prefix: folder, startAfter, limit: 1 });
  return keys.length > 0;
}

/** The first page with something in it, or the last one. */
async function listSome(listRaw: ListRaw, request: ListRequest): Promise<RawPage> {
  let page = await listRaw(request);
  while (page.truncated && page.keys.length + page.prefixes.length === 0) {
    const { token } = page;
    if (token === undefined) throw endless();
    page = await listRaw({ ...request, token });
    if (page.token === token) throw endless();
  }
  return page;
}

function endless(): Error {
  return new Error("the service's listing does not go on");
}

/** Where the page after `page` starts. */
function endOfRaw({ keys, prefixes }: RawPage, startedAfter: string): string {
  const key = keys.at(-1) ?? startedAfter;
  const prefix = prefixes.at(-1);
  return prefix === undefined || key > prefix ? key : prefix + LAST;
}
