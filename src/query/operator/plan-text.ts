/** How plans are printed for people. The text may change between versions. */

/** A line of a step's part. */
export function indent(line: string): string {
  return `  ${line}`;
}
