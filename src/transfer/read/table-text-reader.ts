/** Tables as text: CSV, TSV and their kin, with a header (RFC 4180, and what else is in use). */

import type { Info, Options } from "csv-parse";
import { MIB } from "../../base/byte-sizes.ts";
import type { ByteSource } from "./byte-source.ts";
import {
  FileFault,
  type ReadPosition,
  type RowContent,
  type RowReader,
  type SourceColumn,
  type SourceRow,
} from "./source-row.ts";
import { UnusualQuotes } from "./unusual-quotes.ts";

/** Longest row in characters; a quote that is never closed ends here. */
const ROW_CHARS_MAX = 64 * MIB;
/** Characters of a column's name that a message shows. */
const NAME_CHARS_MAX = 100;
/** What may stand between cells, where the name of the file does not say. */
const DELIMITERS = [",", "\t", ";", "|"];

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Where a record of the parser ended. */
type RecordEnd = Pick<Info, "bytes">;

/** Parses what it is fed, and hands on each record. Rejects with the library's errors. */
export interface RecordParser {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** A cell's text: an empty one is quoted, and a cell of nothing is undefined. */
type CellText = string | undefined;

/** A cell with blanks before its quote, which then is a letter: that is hardly what is meant. */
const BLANK_BEFORE_QUOTE = /^[ \t]+"/;

/** How cells are told from cells of nothing. */
interface CellRules {
  readonly cast?: Options["cast"];
  readonly textsOf: (texts: readonly (string | MisquotedCell)[]) => readonly CellText[];
  /** Returns true if the row has quotes at a place where none may be. */
  readonly isMisquoted: (texts: readonly (string | MisquotedCell)[]) => boolean;
}

/** A cell that has a blank before its quote, or a letter behind the closing one. */
class MisquotedCell {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Rules for rows without empty quoted cells and without blanks before a quote. */
const BARE_CELLS: CellRules = {
  textsOf: (texts) =>
    (texts.includes("") ? texts.map((text) => text || undefined) : texts) as CellText[],
  isMisquoted: () => false,
};

/**
 * Only while a cell is parsed is it known whether it has quotes. To be asked for each cell costs a
 * quarter of the parser's rate.
 */
function allCells(quotes: UnusualQuotes): CellRules {
  return {
    cast: (text, { quoting }) => {
      const isMisquoted = quoting
        ? quotes.areBroken && text.startsWith('"')
        : BLANK_BEFORE_QUOTE.test(text);
      if (isMisquoted) return new MisquotedCell(text);
      return text === "" && !quoting ? undefined : text;
    },
    textsOf: (texts) => texts.map((text) => (text instanceof MisquotedCell ? text.text : text)),
    isMisquoted: (texts) => texts.some((text) => text instanceof MisquotedCell),
  };
}

/** Takes the cells of a record. */
type TakeRecord = (texts: readonly CellText[], isMisquoted: boolean, end: RecordEnd) => void;

interface ParserOptions {
  readonly delimiter: string;
  /** The parser begins with the file, where a byte order mark may stand. */
  readonly isStart: boolean;
  readonly take: TakeRecord;
  readonly rules: CellRules;
}

/** How a table is read. */
export interface TableTextOptions {
  /** The delimiter of `csv` is told by the header. */
  readonly format: "csv" | "tsv";
  /** The library's parser stands behind a stream of Node's, or is fed by hand in a browser. */
  readonly parserOf: (options: Options) => RecordParser;
}

/** See the file's head. The first row names the columns; quoted cells may have line breaks. */
export class TableTextReader implements RowReader {
  readonly #source: ByteSource;
  readonly #options: TableTextOptions;
  #header: { readonly names: readonly string[]; readonly delimiter: string } | undefined;

  constructor(source: ByteSource, options: TableTextOptions) {
    this.#source = source;
    this.#options = options;
  }

  async columns(): Promise<readonly SourceColumn[]> {
    const { names } = await this.#readHeader();
    return names.map((name, i) =>
      name === "" ? { name: `column_${i + 1}`, note: "has no name in the header" } : { name },
    );
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    const { names, delimiter } = await this.#readHeader();
    let rows: SourceRow[] = [];
    let hasHeader = from.offset > 0;
    let position = from;
    const lines = new LineCounter(from);
    const quotes = new UnusualQuotes(delimiter);
    /** Where the parser has begun. */
    let startOffset = from.offset;
    const take: TakeRecord = (texts, isMisquoted, { bytes }) => {
      const offset = startOffset + bytes;
      const line = lines.lineAt(offset);
      const next = { rows: position.rows + (hasHeader ? 1 : 0), line, offset };
      if (hasHeader) {
        // Line breaks inside cells belong to the row, which begins before them.
        const last = lines.isLineEnd(offset) ? line - 1 : line;
        const content = isMisquoted ? misquoted(texts) : contentOf(texts, names.length);
        rows.push({ line: last - lineBreaks(texts), next, content });
      }
      hasHeader = true;
      position = next;
    };
    const parserFrom = (offset: number, rules: CellRules) =>
      this.#parser({ delimiter, isStart: offset === 0, take, rules });
    let parser = parserFrom(startOffset, BARE_CELLS);
    const check = new Utf8Check(this.#source.name, from.offset);
    for await (const chunk of this.#source.open(from.offset)) {
      check.push(chunk);
      if (quotes.push(chunk)) {
        startOffset = position.offset;
        parser = parserFrom(startOffset, allCells(quotes));
        await this.#feed(parser, lines.uncounted(), () => position);
      }
      lines.push(chunk);
      await this.#feed(parser, chunk, () => position);
      if (rows.length === 0) continue;
      yield rows;
      rows = [];
    }
    check.end();
    await this.#feed(parser, undefined, () => position);
    if (rows.length > 0) yield rows;
  }

  async #readHeader(): Promise<{ names: readonly string[]; delimiter: string }> {
    if (this.#header !== undefined) return this.#header;
    const head = await this.#source.head();
    const delimiter = this.#options.format === "tsv" ? "\t" : likelyDelimiter(head);
    checkLineEnds(this.#source.name, head);
    let names: readonly CellText[] | undefined;
    const take: TakeRecord = (texts) => {
      names ??= texts;
    };
    const parser = this.#parser({ delimiter, isStart: true, take, rules: BARE_CELLS });
    await this.#feed(parser, head, () => ({ line: 1 }));
    // A table of a header alone may have no line break.
    if (names === undefined) await this.#feed(parser, undefined, () => ({ line: 1 }));
    const { name } = this.#source;
    if (names === undefined) {
      throw new FileFault(`${name} has no header: its first line must name the columns`);
    }
    checkQuotes(name, names);
    const trimmed = names.map((column = "") => column.trim());
    checkNames(name, trimmed);
    this.#header = { names: trimmed, delimiter };
    return this.#header;
  }

  #parser({ delimiter, isStart, take, rules }: ParserOptions): RecordParser {
    const { cast, textsOf, isMisquoted } = rules;
    return this.#options.parserOf({
      delimiter,
      // Elsewhere a byte order mark is the first letter of a cell.
      bom: isStart,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: ROW_CHARS_MAX,
      ...(cast && { cast }),
      on_record: (texts: readonly (string | MisquotedCell)[], context: RecordEnd) => {
        take(textsOf(texts), isMisquoted(texts), context);
        return null;
      },
    });
  }

  /** Parses a chunk, or the end. */
  async #feed(
    parser: RecordParser,
    chunk: Uint8Array | undefined,
    at: () => { readonly line: number },
  ): Promise<void> {
    try {
      await (chunk === undefined ? parser.end() : parser.write(chunk));
    } catch (error) {
      // With these options the library refuses nothing else.
      const what = "a quote that begins in this row is never closed";
      throw new FileFault(`${this.#source.name}:${at().line}: ${what}`, { cause: error });
    }
  }
}

function contentOf(texts: readonly CellText[], columnCount: number): RowContent {
  if (texts.length === columnCount) return { kind: "texts", texts };
  const error = `the row has ${cells(texts.length)}, the header ${columnCount}`;
  return { kind: "fault", error, raw: JSON.stringify(texts) };
}

function misquoted(texts: readonly CellText[]): RowContent {
  const hasBlank = texts.some((text = "") => BLANK_BEFORE_QUOTE.test(text));
  const error = hasBlank ? MISQUOTED : "a letter is behind a closing quote; double quotes in cells";
  return { kind: "fault", error, raw: JSON.stringify(texts) };
}

const MISQUOTED =
  "a cell has a blank before its quote, which makes the quote a letter; remove the blanks behind " +
  `the delimiters, as with sed -E 's/, +"/,"/g'`;

function cells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}

function lineBreaks(texts: readonly CellText[]): number {
  return texts.reduce((sum: number, text = "") => {
    return text.includes("\n") ? sum + text.split("\n").length - 1 : sum;
  }, 0);
}

/** Counts lines up to offsets that only rise, and may lie in chunks before the last one. */
class LineCounter {
  #line: number;
  #lineStart: number;
  /** What was not counted yet, and where it begins. */
  readonly #chunks: Uint8Array[] = [];
  #offset: number;

  constructor({ line, offset }: ReadPosition) {
    this.#line = line;
    this.#offset = offset;
    this.#lineStart = offset;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  /** What was pushed and lies behind the last offset that was asked for. */
  uncounted(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  /** The line, from 1, of the byte at an offset. */
  lineAt(offset: number): number {
    while (this.#offset < offset && this.#chunks.length > 0) {
      const [chunk] = this.#chunks;
      const bytes = Math.min(chunk.length, offset - this.#offset);
      this.#count(chunk.subarray(0, bytes));
      if (bytes === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(bytes);
    }
    return this.#line;
  }

  /** Whether the offset, for which `lineAt` was just asked, comes right after a line feed. */
  isLineEnd(offset: number): boolean {
    return this.#lineStart === offset;
  }

  #count(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
      this.#line++;
      this.#lineStart = this.#offset + at + 1;
    }
    this.#offset += bytes.length;
  }
}

/** The delimiter that the first line has most of, outside of quotes. */
function likelyDelimiter(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 65_536)).toString();
  const line = /^(?:"[^"]*"|[^"\n])*/.exec(text)?.[0] ?? "";
  const bare = line.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length - 1);
  return DELIMITERS[counts.indexOf(Math.max(...counts))];
}

function checkNames(file: string, names: readonly string[]): void {
  const twice = names.find((name, i) => name !== "" && names.indexOf(name) < i);
  if (twice === undefined) return;
  const columns = names.flatMap((name, i) => (name === twice ? [i + 1] : []));
  throw new FileFault(
    `${file}:1: columns ${columns.slice(0, 2).join(" and ")} are both named ` +
      `${JSON.stringify(twice.slice(0, NAME_CHARS_MAX))}; rename one in the header`,
  );
}

/** The header is parsed before it is known whether cells have such quotes. */
function checkQuotes(file: string, names: readonly CellText[]): void {
  if (names.some((name = "") => BLANK_BEFORE_QUOTE.test(name))) {
    throw new FileFault(`${file}:1: ${MISQUOTED}`);
  }
}

/** Lines of carriage returns alone would be one long header. */
function checkLineEnds(file: string, head: Uint8Array): void {
  const at = head.indexOf(CARRIAGE_RETURN);
  if (at < 0 || at === head.length - 1 || head.includes(LINE_FEED)) return;
  throw new FileFault(
    `${file}: lines end with a carriage return alone; end them with a line feed, as with ` +
      "tr '\\r' '\\n'",
  );
}

/** Text in another encoding would be imported with its letters replaced. */
class Utf8Check {
  readonly #name: string;
  /** It keeps a character that is cut between two chunks. */
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #offset: number;

  constructor(name: string, offset: number) {
    this.#name = name;
    this.#offset = offset;
  }

  /** Throws where bytes are no UTF-8. */
  push(chunk: Uint8Array): void {
    const end = this.#offset + chunk.length;
    try {
      this.#decoder.decode(chunk, { stream: true });
    } catch {
      throw this.#fault(`between bytes ${this.#offset} and ${end}`);
    }
    this.#offset = end;
  }

  /** Throws where the file ends within a character. */
  end(): void {
    try {
      this.#decoder.decode();
    } catch {
      throw this.#fault("it ends within a character");
    }
  }

  #fault(where: string): FileFault {
    return new FileFault(
      `${this.#name} is not UTF-8 (${where}); convert it, as with iconv -f LATIN1 -t UTF-8 (or ` +
        "-f UTF-16)",
    );
  }
}
