/** Options of the schema that ask for an index, also of documents that are there already. */
export type IndexOption = "filterable" | "full_text_search" | "regex" | "glob" | "fuzzy";

/** An index that is being built over existing documents. */
export interface IndexBuild {
  readonly attribute: string;
  readonly index: IndexOption;
  readonly documentsDone: number;
  readonly documentsTotal: number;
}
