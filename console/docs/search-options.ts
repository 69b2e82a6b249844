/** How pages are searched: the build makes the index with it, and the browser reads it so. */

/** For MiniSearch. A part of a page is found by its address. */
export const SEARCH_OPTIONS = {
  fields: ["heading", "title", "text"],
  storeFields: ["heading", "title"],
  searchOptions: {
    boost: { heading: 4, title: 2 },
    prefix: true,
    fuzzy: 0.15,
    combineWith: "AND" as const,
  },
};
