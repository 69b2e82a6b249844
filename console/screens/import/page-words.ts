import type { PlanWords } from "../../../src/transfer/import/plan-words.ts";

/** What users of the page do where those of the command line give options. */
export const PAGE_WORDS: PlanWords = {
  nameId: "choose the column of the ids above",
  rowIds: "choose “numbers of the rows” there if these are what you want",
  rename: () => "give its attribute another name",
  leaveOut: () => "leave it out",
  flatten: undefined,
  declare: (_, type) => `the type ${type}`,
};
