/** How users of the command line, or of another surface, do what a plan asks them for. */
export interface PlanWords {
  /** To say which column has the ids. */
  readonly nameId: string;
  /** To take row numbers for ids in a namespace that exists. */
  readonly rowIds: string;
  readonly rename: (column: string) => string;
  readonly leaveOut: (column: string) => string;
  /** To give members of nested values attributes of their own; undefined: there is no way. */
  readonly flatten: string | undefined;
  /** To give an attribute a type. */
  readonly declare: (attribute: string, type: string) => string;
}

/** As options of `trawl import`. */
export const COMMAND_WORDS: PlanWords = {
  nameId: "name the column of the ids with --id",
  rowIds: "give --id @row if row numbers are what you want",
  rename: (column) => `rename it with --map ${column}=…`,
  leaveOut: (column) => `leave it out with --map ${column}=`,
  flatten: "give each member an attribute with --flatten",
  declare: (attribute, type) => `--schema '${JSON.stringify({ [attribute]: type })}'`,
};
