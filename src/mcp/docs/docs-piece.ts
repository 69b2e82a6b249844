/** Pages of the documentation, cut into pieces that are found and shown by themselves. */

/** Characters of a piece: some hundred words, so that several fit a result. */
export const PIECE_CHARS_MAX = 3000;

/** A piece of a page. */
export interface DocsPiece {
  /** Such as `docs/import.md`. */
  readonly path: string;
  /** Of the page, then of the section. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** Cuts a page of Markdown at its headings, and long sections between lines. */
export function cutPage(path: string, markdown: string): DocsPiece[] {
  const pieces: DocsPiece[] = [];
  let headings: readonly string[] = [];
  let lines: string[] = [];
  let chars = 0;
  let isCode = false;
  const end = () => {
    const text = lines.join("\n").trim();
    if (text !== "") pieces.push({ path, headings, text });
    lines = [];
    chars = 0;
  };
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,3}) (.+)$/.exec(line);
    if (heading) {
      end();
      headings = [...headings.slice(0, heading[1].length - 1), heading[2]];
      continue;
    }
    if (chars + line.length > PIECE_CHARS_MAX) end();
    lines.push(line);
    chars += line.length + 1;
  }
  end();
  return pieces;
}
