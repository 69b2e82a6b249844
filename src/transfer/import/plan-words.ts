/** How users of the command line, or of another surface, do what a plan asks them for. */
export interface PlanWords {
  /** To say which column has the ids. */
  readonly nameId: string;
  /** To take row numbers for ids in a namespace that exists. */
  readonly rowIds: string;
  readonly rename: (column: string) => string;
  readonly leaveOut: (column: string) => string;
  /** To give an attribute a type. */
  readonly declare: (attribute: string, type: string) => string;
}

/** As options of `trawl import`. */
export const COMMAND_WORDS: PlanWords = {
  nameId: "name the column of the ids with --id",
  rowIds: "give --id @row if row numbers are what you want",
  rename: (column) => `rename it with --map ${column}=…`,
  leaveOut: (column) => `leave it out with --map ${column}=`,
  declare: (attribute, type) => `--schema '${JSON.stringify({ [attribute]: type })}'`,
};
