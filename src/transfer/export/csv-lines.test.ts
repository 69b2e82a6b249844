import { expect, test } from "vitest";
import { ChunkedBytes } from "../../../test/support/transfer/chunked-bytes.ts";
import { readAll } from "../../../test/support/transfer/read-all.ts";
import { csvCell } from "../../base/csv-cell.ts";
import { seededRandom } from "../../base/random.ts";
import { planImport } from "../import/import-plan.ts";
import { COMMAND_WORDS } from "../import/plan-words.ts";
import { RowEncoder } from "../import/row-encoder.ts";
import { streamParser } from "../read/record-parser.ts";
import { TableTextReader } from "../read/table-text-reader.ts";
import { csvHeader, csvLine, harmlessCell } from "./csv-lines.ts";

const PIECES = ["", "a", "é", '"', ",", ";", "\n", "\r\n", "\r", " ", "\t", "=1+1", "null", "[]"];

/** The JSON of rows, of rows as a file of CSV is read. */
async function readBack(csv: string, schema: Record<string, string>): Promise<string[]> {
  const source = new ChunkedBytes(csv, { chunkBytes: () => 7 });
  const reader = new TableTextReader(source, { format: "csv", parserOf: streamParser });
  const columns = await reader.columns();
  const rows = await readAll(reader);
  const plan = planImport([{ name: "a.csv", columns, rows }], {
    renames: new Map(),
    schema,
    existing: undefined,
    isResumed: false,
    words: COMMAND_WORDS,
  });
  const encoder = new RowEncoder(plan, columns);
  return rows.map(({ content }, i) => String(Buffer.from(encoder.encode(content, i + 1))));
}

test("what is written comes back the same, empty texts and nothing among it", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const text = () =>
      Array.from({ length: random.below(3) }, () => PIECES[random.below(PIECES.length)]).join("");
    const names = ["b", "c", "d"].slice(0, 1 + random.below(3));
    const rows = Array.from({ length: 1 + random.below(6) }, (_, id) => {
      const members = names.flatMap((name) =>
        random.below(4) === 0 ? [] : [`${JSON.stringify(name)}:${JSON.stringify(text())}`],
      );
      return `{${[`"id":${id + 1}`, ...members].join()}}`;
    });
    const columns = ["id", ...names];
    const lines = rows.map((row) => csvLine(columns, Buffer.from(row), csvCell));
    const schema = Object.fromEntries(names.map((name) => [name, "string"]));
    const csv = csvHeader(columns, csvCell) + lines.join("");
    expect(await readBack(csv, schema), `seed ${seed}`).toEqual(rows);
  }
});

test("formulas are escaped where that is asked for, and numbers are none", () => {
  const line = (text: string) => {
    const row = Buffer.from(`{"id":1,"a":${JSON.stringify(text)},"b":-1}`);
    return csvLine(["id", "a", "b"], row, harmlessCell);
  };
  for (const start of ["=", "+", "-", "@", "＝", "＠"])
    expect(line(`${start}1`)).toBe(`1,'${start}1,-1\n`);
  expect(line("\t=1")).toBe("1,'\t=1,-1\n");
  expect(line("\r=1")).toBe('1,"\'\r=1",-1\n');
  expect(line('=A1&"x"')).toBe('1,"\'=A1&""x""",-1\n');
  expect(line("1=1")).toBe("1,1=1,-1\n");
  expect(line("")).toBe('1,"",-1\n');
  expect(csvHeader(["id", "=a"], harmlessCell)).toBe("id,'=a\n");
});
