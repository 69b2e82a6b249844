const FINITE = "JSON has finite numbers only; leave the value out or use null";
const NULL = "JSON's word for no value is null";

/** Words of other notations, and what to write for them. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...["NaN", "nan", "Infinity", "inf"].map((word) => [word, FINITE] as const),
  ...["undefined", "None", "nil", "NULL"].map((word) => [word, NULL] as const),
  ...["True", "TRUE"].map((word) => [word, "JSON's word is true"] as const),
  ...["False", "FALSE"].map((word) => [word, "JSON's word is false"] as const),
]);

/** Marks of other notations, and what to write for them. */
const MARKS: readonly (readonly [mark: RegExp, hint: string])[] = [
  [/^['\u0060]/, "JSON has double quotes only"],
  [/^(?:\/[/*]|#)/, "JSON has no comments"],
  [/^(?:\+|-?\.)\d/, "JSON's numbers begin with a digit or a minus and one, as in 0.5 and -1"],
];

/** How many bytes tell what stands there: the longest word, its sign, and the byte behind. */
const TOLD_BYTES = 12;

/**
 * Says what to write instead of the syntax that begins at byte `at`, if it is one that other
 * notations have and JSON has not; `isWhole` tells that no more bytes follow those up to `end`.
 * "more" if the bytes up to there do not tell yet.
 */
export function foreignSyntax(
  bytes: Buffer,
  { at, end, isWhole }: { readonly at: number; readonly end: number; readonly isWhole: boolean },
): string | "more" | undefined {
  const text = bytes.toString("latin1", at, Math.min(end, at + TOLD_BYTES));
  const word = text.replace(/^[+-]/, "");
  if (!isWhole && text.length < TOLD_BYTES) {
    const mayBecome = [...WORDS.keys()].some((whole) => whole.startsWith(word));
    if (mayBecome || /^(?:\/|-?\.)$/.test(text)) return "more";
  }
  const told = WORDS.get(/^\w*/.exec(word)?.[0] ?? "");
  return told ?? MARKS.find(([mark]) => mark.test(text))?.[1];
}
