/** Listings that are longer than one page. */

import { endOf, type ListPage, type ObjectStore } from "../storage/object-store.ts";

/** Keys of one request; the largest page of common object stores. */
const LIST_PAGE_KEYS = 1000;

/** Yields all pages of the keys under a prefix; one request each. Keys may go in between. */
export async function* storePages(
  store: ObjectStore,
  prefix: string,
  delimiter?: "/",
): AsyncGenerator<ListPage> {
  let startAfter: string | undefined;
  for (;;) {
    const page = await store.list({
      prefix,
      limit: LIST_PAGE_KEYS,
      ...(startAfter !== undefined && { startAfter }),
      ...(delimiter !== undefined && { delimiter }),
    });
    yield page;
    startAfter = endOf(page);
    if (!page.truncated || startAfter === undefined) return;
  }
}
