/** Listings that are longer than one page. */

import { endOf, type ListPage, type ListRequest, type ObjectStore } from "./object-store.ts";

/** Keys of one request; the largest page of common object stores. */
const LIST_PAGE_KEYS = 1000;

/** Yields all pages of a listing; one request each. Keys may go in between. */
export async function* storePages(
  store: ObjectStore,
  request: Omit<ListRequest, "limit">,
): AsyncGenerator<ListPage> {
  let { startAfter } = request;
  for (;;) {
    const after = startAfter === undefined ? {} : { startAfter };
    const page = await store.list({ ...request, ...after, limit: LIST_PAGE_KEYS });
    yield page;
    startAfter = endOf(page);
    if (!page.truncated || startAfter === undefined) return;
  }
}
