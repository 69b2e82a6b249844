import { expect, test } from "vitest";
import { ChunkedBytes } from "../../../test/support/transfer/chunked-bytes.ts";
import { contents, readAll } from "../../../test/support/transfer/read-all.ts";
import { seededRandom } from "../../base/random.ts";
import { streamParser } from "./record-parser.ts";
import { TableTextReader } from "./table-text-reader.ts";

const CSV = { format: "csv", parserOf: streamParser } as const;

function reader(text: string | Uint8Array, chunkBytes = () => 5): TableTextReader {
  return new TableTextReader(new ChunkedBytes(text, { chunkBytes }), CSV);
}

/** Reads CSV of well-formed quotes, letter by letter; undefined are cells of nothing. */
function naiveRows(
  text: string,
  delimiter: string,
): { line: number; cells: (string | undefined)[] }[] {
  const rows: { line: number; cells: (string | undefined)[] }[] = [];
  let cells: (string | undefined)[] = [];
  let cell = "";
  let line = 1;
  let startLine = 1;
  let isQuoted = false;
  let wasQuoted = false;
  const endCell = () => {
    cells.push(cell === "" && !wasQuoted ? undefined : cell);
    cell = "";
    wasQuoted = false;
  };
  const endRow = () => {
    const isRow = cells.length > 0 || cell !== "" || wasQuoted;
    endCell();
    if (isRow) rows.push({ line: startLine, cells });
    cells = [];
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "\n") line++;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else isQuoted = false;
    } else if (char === '"') {
      isQuoted = true;
      wasQuoted = true;
    } else if (char === delimiter) endCell();
    else if (char === "\n") {
      endRow();
      startLine = line;
    } else if (char !== "\r") cell += char;
  }
  endRow();
  return rows;
}

test("random tables read as a naive parser reads them, from every row on", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const lineEnd = random.below(2) === 0 ? "\n" : "\r\n";
    const delimiter = [",", "\t", ";"][random.below(3)];
    const columns = 1 + random.below(3);
    const cell = () => {
      const bare = ["", "a", "é", "12", "x y"][random.below(5)];
      if (random.below(2) === 0) return bare;
      const inner = ["", "\n", '""', delimiter, "\r\n", "ü"][random.below(6)];
      return `"${bare}${inner}${bare}"`;
    };
    const row = () => Array.from({ length: columns }, cell).join(delimiter);
    const rowTexts = Array.from({ length: random.below(9) }, () => {
      return random.below(6) === 0 ? "" : row();
    });
    const mark = random.below(3) === 0 ? "\ufeff" : "";
    const end = random.below(2) === 0 ? "" : lineEnd;
    const header = ["a", "b", "c"].slice(0, columns).join(delimiter);
    const text = mark + [header, ...rowTexts].join(lineEnd) + end;
    const [, ...naive] = naiveRows(text.replace("\ufeff", ""), delimiter);
    const table = reader(text, () => 1 + random.below(20));
    const rows = await readAll(table);
    expect(contents(rows), `seed ${seed}`).toEqual(naive.map(({ cells }) => cells));
    expect(
      rows.map(({ line }) => line),
      `seed ${seed} ${JSON.stringify(text)}`,
    ).toEqual(naive.map(({ line }) => line));
    for (const [i, { next }] of rows.entries()) {
      expect(next.rows, `seed ${seed}`).toBe(i + 1);
      expect(await readAll(table, next), `seed ${seed}`).toEqual(rows.slice(i + 1));
    }
  }
});

test.each([
  ["csv", ",", "\n"],
  ["csv", ",", "\r\n"],
  ["csv", ";", "\n"],
  ["tsv", "\t", "\r\n"],
] as const)(
  "in %s with %j and %j an empty text has quotes, and nothing has none",
  async (...of) => {
    const [format, delimiter, lineEnd] = of;
    const rows = [
      ["a", "b", "c"],
      ['""', "1", '""'],
      ["", "2", ""],
      ["", '""', ""],
      ['""', "", '""'],
      ["x", "y", '""'],
    ];
    const text = rows.map((cells) => cells.join(delimiter)).join(lineEnd);
    for (const end of ["", lineEnd]) {
      const source = new ChunkedBytes(text + end, { chunkBytes: () => 3 });
      const table = new TableTextReader(source, { ...CSV, format });
      expect(contents(await readAll(table))).toEqual([
        ["", "1", ""],
        [undefined, "2", undefined],
        [undefined, "", undefined],
        ["", undefined, ""],
        ["x", "y", ""],
      ]);
    }
  },
);

test("in a table of one column a line of quotes is a row, and an empty line is none", async () => {
  expect(contents(await readAll(reader('a\n""\n\nx\n""')))).toEqual([[""], ["x"], [""]]);
  expect(await reader('""\n1').columns()).toEqual([
    { name: "column_1", note: "has no name in the header" },
  ]);
});

test("the header names the columns; one without a name is called by its place", async () => {
  expect(await reader(',"b c", d\r\n').columns()).toEqual([
    { name: "column_1", note: "has no name in the header" },
    { name: "b c" },
    { name: "d" },
  ]);
  expect(await readAll(reader("a,b"))).toEqual([]);
});

test.each([
  ["a;b\n1;2", ["a", "b"]],
  ["a\tb\n1\t2", ["a", "b"]],
  ["a|b\n1|2", ["a", "b"]],
  ['"a;x;y",b\n1,2', ["a;x;y", "b"]],
])("the delimiter of %j is found", async (text, names) => {
  expect((await reader(text).columns()).map(({ name }) => name)).toEqual(names);
  expect(contents(await readAll(reader(text)))).toEqual([["1", "2"]]);
});

test("ragged rows are faults with their line, and the others are read", async () => {
  const rows = await readAll(reader('a,b\n1,2\n3\n"x\ny",4,5\n6,7\n'));
  expect(contents(rows)).toEqual([
    ["1", "2"],
    { error: "the row has 1 cell, the header 2" },
    { error: "the row has 3 cells, the header 2" },
    ["6", "7"],
  ]);
  expect(rows.map(({ line }) => line)).toEqual([2, 3, 4, 6]);
});

test("a quote inside of a cell is a letter", async () => {
  expect(contents(await readAll(reader('a,b\n5" disk,x\n')))).toEqual([['5" disk', "x"]]);
});

test("a letter behind a closing quote is a fault, whatever is in the other rows", async () => {
  const text = 'a,b\n"""x""",1\n"x"y,2\n"x""y"z,3\n5" disk,4\n"x" ,5\n"ok",6\n';
  for (const chunkBytes of [1, 2, 3, 5, 1000]) {
    const rows = contents(await readAll(reader(text, () => chunkBytes)));
    const fault = { error: "a letter is behind a closing quote; double quotes in cells" };
    // In a table with such quotes, a cell that begins with a quote looks the same.
    expect(rows.slice(1)).toEqual([fault, fault, ['5" disk', "4"], fault, ["ok", "6"]]);
  }
  const well = contents(await readAll(reader('a,b\n"""x""",1\n"""",2\n', () => 1)));
  expect(well).toEqual([
    ['"x"', "1"],
    ['"', "2"],
  ]);
});

test("a blank before a quote is a fault, and refused in the header", async () => {
  const rows = contents(await readAll(reader('a,b\n"x", "y"\n" ""x""",2\nx ,"y"\n', () => 1)));
  const error = expect.stringMatching(/^a cell has a blank before its quote/);
  expect(rows).toEqual([{ error }, [' "x"', "2"], ["x ", "y"]]);
  await expect(readAll(reader('"a", "b"\n1,2\n'))).rejects.toThrow(/^rows:1: a cell has a blank/);
});

test.each([
  ["", "rows has no header: its first line must name the columns"],
  ["a,b,a\n", 'rows:1: columns 1 and 3 are both named "a"; rename one in the header'],
  ['a,b\n1,2\n3,"x\n4,5\n', "rows:3: a quote that begins in this row is never closed"],
])("%j is refused", async (text, message) => {
  await expect(readAll(reader(text))).rejects.toThrow(message);
});

test("text that is not UTF-8 is refused, and a letter cut between chunks is not", async () => {
  const latin = Buffer.from("a,b\nné,2\n", "latin1");
  await expect(readAll(reader(latin))).rejects.toThrow(/^rows is not UTF-8 .* iconv/);
  const cut = reader("a,b\n€𝄞,2\n", () => 1);
  expect(contents(await readAll(cut))).toEqual([["€𝄞", "2"]]);
});

test("positions beyond 2^32 are exact", async () => {
  const header = "a,b\n";
  const startOffset = 2 ** 33;
  const rest = new (class extends ChunkedBytes {
    override async head(): Promise<Uint8Array> {
      return Buffer.from(header);
    }
  })("1,2\n3,4\n", { startOffset });
  const from = { rows: 5e9, line: 5e9 + 2, offset: startOffset };
  const rows = await readAll(new TableTextReader(rest, CSV), from);
  expect(rows.map(({ next, line }) => [line, next.offset])).toEqual([
    [5e9 + 2, startOffset + 4],
    [5e9 + 3, startOffset + 8],
  ]);
});
