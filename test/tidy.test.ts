/** The rules of STYLE.md that a program can check, on the project's own sources. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cycleFindings, deadFileFindings, ringFindings } from "./tidy/import-rules.ts";
import { functionFindings, lengthFindings } from "./tidy/size-rules.ts";
import { type Finding, readSourceFiles, type SourceFile, sourceFile } from "./tidy/source-file.ts";
import {
  bannedCodeFindings,
  fileNameFindings,
  glossaryFindings,
  postponedFindings,
  undocumentedFindings,
} from "./tidy/text-rules.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "test", "bench", "scripts", "assembly"];

type Rule = (files: readonly SourceFile[]) => Finding[];

/** Each rule, with sources that break it and what it must say about them. */
const RULES: Record<string, { rule: Rule; planted: Record<string, string>; finds: string[] }> = {
  "a file imports its own folder and lower rings": {
    rule: ringFindings,
    planted: {
      "src/query/plan.ts":
        'import type { A } from "../write/a.ts";\n// import "../http/x.ts"\n' +
        'import { b } from "../segment/b.ts";\nimport {\n  c,\n} from "../engine/c.ts";\n',
      "src/model/a.ts": 'const m = await import("../kernel/k.ts");',
      "src/model/a.test.ts": 'import "../http/free.ts";',
      "src/odd/a.ts": "",
    },
    finds: [
      "src/query/plan.ts:1: query may not import src/write/a.ts",
      "src/query/plan.ts:6: query may not import src/engine/c.ts",
      "src/model/a.ts:1: model may not import src/kernel/k.ts",
      "src/odd/a.ts:1: folder odd has no ring",
    ],
  },
  "no import cycles": {
    rule: cycleFindings,
    planted: {
      "src/base/a.ts": 'import { b } from "./b.ts";\nimport { d } from "./d.ts";',
      "src/base/b.ts": 'import type { C } from "./c.ts";',
      "src/base/c.ts": 'import { a } from "./a.ts";',
      "src/base/d.ts": "",
    },
    finds: ["src/base/c.ts:1: import cycle src/base/a.ts → src/base/b.ts → src/base/c.ts → src/ba"],
  },
  "no dead files": {
    rule: deadFileFindings,
    planted: {
      "src/cli/main.ts": 'import "./used.ts"; new Worker(new URL("./thread.ts", import.meta.url));',
      "src/cli/used.ts": "",
      "src/cli/thread.ts": "",
      "src/cli/dead.ts": "",
      "src/cli/dead.test.ts": 'import "./dead.ts";',
    },
    finds: ["src/cli/dead.ts:1: nothing imports this file"],
  },
  "files and lines are short": {
    rule: lengthFindings,
    planted: {
      "src/base/long.ts": "x\n".repeat(401),
      "src/base/right.ts": `${"x\n".repeat(399)}${"é".repeat(100)}`,
      "src/base/wide.ts": `\n${"x".repeat(101)}\n  /${"x".repeat(101)}/;`,
      "src/text/some-table.ts": `${"x".repeat(500)}\n`.repeat(900),
    },
    finds: ["src/base/long.ts:401: 401 lines", "src/base/wide.ts:2: 101 columns"],
  },
  "functions are short and take few parameters": {
    rule: functionFindings,
    planted: {
      "src/base/a.ts": [
        `class A { x = 1;\n  long(a: Map<A, B>): Promise<void> {${"\n".repeat(70)}  }\n}`,
        `const f = (a: number) => {${"\n".repeat(70)}};`,
        `for (let i = 0; i < 5; i++) {${"\n".repeat(90)}}`,
        `export class Wide {${"\n".repeat(90)}}`,
        "function many(a: X<1, 2>, { b, c }: Y, d = [1, 2], e: () => void, f: F) {}",
        "function few(a: X<1, 2>, { b, c }: Y, d = [1, 2], e: (x: 1, y: 2) => void) {}",
      ].join("\n"),
    },
    finds: [
      "src/base/a.ts:2: a function of 71 lines",
      "src/base/a.ts:74: a function of 71 lines",
      "src/base/a.ts:327: a function of 5 parameters",
    ],
  },
  "time, timers and chance come from src/base": {
    rule: bannedCodeFindings,
    planted: {
      "src/base/clock.ts": "Date.now(); setTimeout();",
      "src/log/a.ts":
        "Date.now();\nnew Date(); new Date(5); // Date.now()\n" +
        'Math.random();\nsetTimeout(f, 1);\n"setInterval"',
      "src/log/b.ts": "export default 1;\nexport * from './a.ts';",
    },
    finds: [
      "src/log/a.ts:1: Date.now reads the machine's clock",
      "src/log/a.ts:2: new Date() reads the machine's clock",
      "src/log/a.ts:4: setTimeout sets a timer",
      "src/log/a.ts:3: Math.random draws",
      "src/log/b.ts:1: export default exports a default",
      "src/log/b.ts:2: export * exports another file's names",
    ],
  },
  "file names say what the file holds": {
    rule: fileNameFindings,
    planted: {
      "src/base/utils.ts": "",
      "src/base/index.ts": "",
      "src/base/planV2.ts": "",
      "src/base/plan-v2.ts": "",
      "src/base/fine-name.seek.test.ts": "",
    },
    finds: [
      "src/base/utils.ts:1: name the file",
      "src/base/index.ts:1: name the file",
      "src/base/planV2.ts:1: name the file",
      "src/base/plan-v2.ts:1: name the file",
    ],
  },
  "exports are documented": {
    rule: undocumentedFindings,
    planted: {
      "src/base/a.ts":
        "/** A. */\nexport const a = 1;\n\nexport type B = 1;\n" +
        "/** C. */\nexport function c(): void;\n" +
        "export function c(x?: 1): void {}\n// D.\nexport interface D {}\n",
    },
    finds: [
      "src/base/a.ts:4: B is exported without a doc comment",
      "src/base/a.ts:9: D is exported without a doc comment",
    ],
  },
  "no work is put off": {
    rule: postponedFindings,
    planted: { "src/base/a.ts": `\n// ${"TO"}${"DO"}: later` },
    finds: [`src/base/a.ts:2: ${"TO"}${"DO"} puts work off`],
  },
  "one word per concept": {
    rule: glossaryFindings,
    planted: {
      "src/base/a.ts":
        "const docId = 1;\nconst rows = 'docId'; // rowId\nfunction readFieldName() {}",
    },
    finds: [
      "src/base/a.ts:1: docId: the glossary says document id",
      "src/base/a.ts:3: readFieldName: the glossary says attribute name",
    ],
  },
};

describe.each(Object.entries(RULES))("%s", (_name, { rule, planted, finds }) => {
  test("planted violations are found, and nothing else", () => {
    const files = Object.entries(planted).map(([path, text]) => sourceFile(path, text));
    const found = rule(files).map(shown);
    expect(found.map((line, i) => line.slice(0, finds[i]?.length))).toEqual(finds);
  });

  test("the project keeps the rule", () => {
    expect(rule(readSourceFiles(ROOT, FOLDERS)).map(shown)).toEqual([]);
  });
});

describe("the dependencies", () => {
  interface Locked {
    readonly version: string;
    readonly hasInstallScript?: boolean;
    readonly deprecated?: string;
    readonly resolved?: string;
  }
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"));
  const packages: [string, Locked][] = Object.entries(lock.packages);

  test("run no install scripts, are not deprecated, and name no download host", () => {
    const faulty = packages.filter(
      ([, { hasInstallScript, deprecated, resolved }]) =>
        hasInstallScript || deprecated !== undefined || resolved !== undefined,
    );
    expect(faulty).toEqual([]);
  });

  test("are pinned", () => {
    const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const ranges = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(ranges.filter((range) => !/^\d+\.\d+\.\d+$/.test(String(range)))).toEqual([]);
  });
});

function shown({ path, line, message }: Finding): string {
  return `${path}:${line}: ${message}`;
}
