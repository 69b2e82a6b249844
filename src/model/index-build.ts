/** An index that is being built over existing documents. */
export interface IndexBuild {
  readonly attribute: string;
  readonly index: "filterable" | "full_text_search" | "regex" | "glob" | "fuzzy";
  readonly documentsDone: number;
  readonly documentsTotal: number;
}
