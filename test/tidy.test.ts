/** The rules of STYLE.md that a program can check, on the project's own sources. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { describe, expect, test } from "vitest";
import { decisionFindings } from "./tidy/decision-rules.ts";
import { namedFileFindings } from "./tidy/doc-rules.ts";
import { deadExportFindings } from "./tidy/export-rules.ts";
import { layerFindings, mutualFindings } from "./tidy/folder-rules.ts";
import {
  browserFindings,
  cycleFindings,
  deadFileFindings,
  ringFindings,
} from "./tidy/import-rules.ts";
import { numericKeyFindings } from "./tidy/key-rules.ts";
import { functionFindings, lengthFindings, lengthSmells } from "./tidy/size-rules.ts";
import { type Finding, readSourceFiles, type SourceFile, sourceFile } from "./tidy/source-file.ts";
import { unsteadyTestFindings } from "./tidy/test-rules.ts";
import {
  bannedCodeFindings,
  fileNameFindings,
  glossaryFindings,
  messageFindings,
  postponedFindings,
  undocumentedFindings,
} from "./tidy/text-rules.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = ["src", "console", "test", "bench", "scripts", "assembly", "examples"];

/** Read once: each rule looks at the same texts. */
const SOURCES = readSourceFiles(ROOT, FOLDERS);

type Rule = (files: readonly SourceFile[]) => Finding[];

/** Each rule, with sources that break it and what it must say about them. */
const RULES: Record<string, { rule: Rule; planted: Record<string, string>; finds: string[] }> = {
  "a file imports its own folder and lower rings": {
    rule: ringFindings,
    planted: {
      "src/query/plan.ts":
        'import type { A } from "../write/a.ts";\n// import "../http/x.ts"\n' +
        'import { b } from "../segment/b.ts";\nimport {\n  c,\n} from "../commit/c.ts";\n',
      "src/model/a.ts": 'const m = await import("../kernel/k.ts");',
      "src/model/a.test.ts": 'import "../http/free.ts";',
      "src/odd/a.ts": "",
      "src/http/b.ts": 'import "../../console/base/a.ts";',
      "console/base/a.ts": 'import { a } from "../../src/model/a.ts";',
      "console/ui/a.tsx": 'import "../base/a.ts";\nimport "../screens/a/a.ts";',
      "console/screens/a/a.ts": 'import "../../ui/a.tsx";\nimport "../b/b.ts";',
      "console/screens/b/b.ts": 'import "../../../src/wire/a.ts";',
      "console/odd/a.ts": "",
      "console/main.tsx": 'import "./screens/a/a.ts";',
    },
    finds: [
      "src/query/plan.ts:1: query may not import src/write/a.ts",
      "src/query/plan.ts:6: query may not import src/commit/c.ts",
      "src/model/a.ts:1: model may not import src/kernel/k.ts",
      "src/odd/a.ts:1: folder odd has no ring",
      "src/http/b.ts:1: http may not import console/base/a.ts",
      "console/ui/a.tsx:2: ui may not import console/screens/a/a.ts",
      "console/screens/a/a.ts:2: screens/a may not import console/screens/b/b.ts",
      "console/screens/b/b.ts:1: screens/b may not import src/wire/a.ts",
      "console/odd/a.ts:1: folder has no ring",
    ],
  },
  "what the console imports runs in browsers": {
    rule: browserFindings,
    planted: {
      "console/main.tsx": 'import "../src/base/a.ts";',
      "console/main.test.ts": 'import "node:fs";',
      "src/base/a.ts": 'import "./b.ts";',
      "src/base/b.ts": '\nimport { hash } from "node:crypto";',
      "src/base/c.ts": 'import "node:fs";',
    },
    finds: ["src/base/b.ts:2: the console imports this file"],
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
      "console/main.tsx": 'import "./used.tsx"; import("./lazy.tsx");',
      "console/used.tsx": "",
      "console/lazy.tsx": "",
      "console/dead.tsx": "",
    },
    finds: [
      "src/cli/dead.ts:1: nothing imports this file",
      "console/dead.tsx:1: nothing imports this file",
    ],
  },
  "no dead exports": {
    rule: deadExportFindings,
    planted: {
      "src/base/a.ts":
        "export const used = 1;\nexport const own = 2; own;\nexport const nobodys = 3;\n" +
        "export function tested(a: 1): 1;\nexport function tested(a: 2): 2;\n" +
        "export function seam() {} seam();\nexport interface Part {}\ntype Whole = Part[];\n" +
        "export type Unused = 1;\nexport const named = 4; // named",
      "src/base/b.ts":
        'import { used } from "./a.ts";\nimport * as c from "./c.ts";\nimport("./d.ts");',
      "src/base/c.ts": "export const whole = 1;",
      "src/base/d.ts": "export const dynamic = 1;",
      "src/base/a.test.ts":
        'import { seam, tested } from "./a.ts";\nimport { dynamic } from "./d.ts";',
    },
    finds: [
      "src/base/a.ts:2: nothing imports own; do not export it",
      "src/base/a.ts:3: nothing imports nobodys; delete it",
      "src/base/a.ts:4: only tests import tested; delete it",
      "src/base/a.ts:5: only tests import tested; delete it",
      "src/base/a.ts:9: nothing imports Unused; delete it",
      "src/base/a.ts:10: nothing imports named; delete it",
    ],
  },
  "lines are short": {
    rule: lengthFindings,
    planted: {
      "src/base/right.ts": "é".repeat(100),
      "src/base/wide.ts": `\n${"x".repeat(101)}\n  /${"x".repeat(101)}/;`,
      "src/text/some-table.ts": `${"x".repeat(500)}\n`,
    },
    finds: ["src/base/wide.ts:2: 101 columns"],
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
      "console/ui/a.tsx": `function A() { return (<>{<b>{1}</b>}</>); }${"\n".repeat(90)}`,
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
  "tests draw from seeds and do not depend on the machine's time": {
    rule: unsteadyTestFindings,
    planted: {
      "test/engine/a.test.ts": "Math.random();\nperformance.now(); // Date.now()\n'Date.now'",
      "src/base/a.test.ts": "import { randomInt } from 'node:crypto';\nawait systemClock.sleep(1);",
      "src/base/clock.ts": "Date.now();",
      "test/support/clocks/pause.ts": "systemClock.sleep(1);\nsystemRandom.next();",
      "test/support/processes/a.ts": "systemRandom.next();\nsystemClock.sleep(1);",
    },
    finds: [
      "test/engine/a.test.ts:1: Math.random draws by chance",
      "test/engine/a.test.ts:2: performance.now has the machine's time",
      "src/base/a.test.ts:1: randomInt draws by chance",
      "src/base/a.test.ts:2: systemClock has the machine's time",
      "test/support/clocks/pause.ts:2: systemRandom draws by chance",
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
    expect(rule(SOURCES).map(shown)).toEqual([]);
  });
});

describe("folders of a folder have layers, and do not import each other", () => {
  const files = Object.entries({
    "src/query/low/a.ts": 'import "./b.ts";\nimport "../../../src/model/a.ts";',
    "src/query/low/b.ts": '\nimport type { C } from "../high/c.ts";',
    "src/query/low/b.test.ts": 'import "../high/c.ts";',
    "src/query/high/c.ts": 'import "../low/a.ts";\nimport "./deep/d.ts";\nimport "../low/b.ts";',
    "src/query/high/deep/d.ts": 'import "../f.ts";\nimport "../g.ts";',
    "src/query/high/f.ts": "",
    "src/query/high/g.ts": "",
    "src/query/high/h.ts": 'import "../top/i.ts";',
    "src/query/top/i.ts": 'import "../high/f.ts";\nimport "../high/g.ts";',
    "src/query/e.ts": 'import "./low/a.ts";',
    "src/query/odd/j.ts": "",
  }).map(([path, text]) => sourceFile(path, text));

  test("planted imports of a higher layer are found, and nothing else", () => {
    const layers = { "src/query": [["low"], ["high", "top", "."]] };
    expect(layerFindings(files, layers).map(shown)).toEqual([
      "src/query/low/b.ts:2: a lower layer of src/query may not import src/query/high/c.ts; " +
        "move what it needs down, or take it as a parameter from above",
      "src/query/odd/j.ts:1: odd has no layer in src/query; add it to LAYERS",
    ]);
  });

  test("planted pairs that import each other are found, and nothing else", () => {
    const cure = "move what both need below both";
    expect(mutualFindings(files).map(shown)).toEqual([
      "src/query/low/b.ts:2: imports src/query/high/c.ts, " +
        `but high and low of src/query may not import each other; ${cure}`,
      "src/query/high/h.ts:1: imports src/query/top/i.ts, " +
        `but high and top of src/query may not import each other; ${cure}`,
      "src/query/high/c.ts:2: imports src/query/high/deep/d.ts, " +
        `but . and deep of src/query/high may not import each other; ${cure}`,
    ]);
  });

  test("the project keeps the rules", () => {
    expect([...layerFindings(SOURCES), ...mutualFindings(SOURCES)].map(shown)).toEqual([]);
  });
});

describe("no Map or Set has numbers for keys that clients choose", () => {
  test("planted violations are found, and nothing else", () => {
    const fs = createVirtualFileSystem({
      "/planted/tsconfig.json": '{"compilerOptions": {"strict": true, "target": "ES2024"}}',
      "/planted/src/a.ts":
        "declare const ids: (string | bigint)[];\nnew Set(ids);\nnew Map<number, 1>();\n" +
        "new Map(ids.map((id) => [String(id), id]));\nexport const m: Map<string, 1> = new Map();",
      "/planted/src/b.ts":
        "type Brand = number & { readonly brand: 1 };\n" +
        "export class A<K> { m = new Map<K, 1>(); }\n" +
        "new Map<Brand, 1>();\nnew Set<readonly number[]>();\nnew Set();",
      "/planted/src/allowed.ts": "export const s = new Set([1n]);",
      "/planted/src/needless.ts": 'export const s = new Set(["1"]);',
    });
    const project = { root: "/planted", config: "/planted/tsconfig.json", fs };
    const allowed = { reason: ["src/allowed.ts", "src/needless.ts"] };
    expect(numericKeyFindings(project, allowed).map(({ path, line }) => `${path}:${line}`)).toEqual(
      ["src/a.ts:2", "src/a.ts:3", "src/b.ts:2", "src/b.ts:3", "src/b.ts:5", "src/needless.ts:1"],
    );
  });

  test("the project keeps the rule", () => {
    const project = { root: ROOT, config: join(ROOT, "tsconfig.json") };
    expect(numericKeyFindings(project).map(shown)).toEqual([]);
  }, 120_000);
});

describe("errors are recognized by their codes and classes", () => {
  test("planted comparisons of messages are found, and nothing else", () => {
    const files = Object.entries({
      "src/base/a.ts":
        "if (error.message === gone) return;\nif (text !== fault.message) return;\n" +
        'if (error.message.includes("x")) return;\n/x/.test(error.message);\n' +
        '/x/.exec(message);\nmessage.kind === "a";\nlog(error.message);\n// error.message === a\n',
      "src/base/allowed.ts": "/x/.test(message);",
      "src/base/a.test.ts": "error.message === text;",
    }).map(([path, text]) => sourceFile(path, text));
    const allowed = { "src/base/allowed.ts": "a reason", "src/base/b.ts": "another" };
    const found = messageFindings(files, allowed).map(({ path, line }) => `${path}:${line}`);
    const lines = [1, 2, 3, 4, 5].map((line) => `src/base/a.ts:${line}`);
    expect(found).toEqual([...lines, "src/base/b.ts:1"]);
  });

  test("the project keeps the rule", () => {
    expect(messageFindings(SOURCES).map(shown)).toEqual([]);
  });
});

describe("smells", () => {
  test("files of more than 400 lines are found", () => {
    const files = [
      sourceFile("src/base/long.ts", "x\n".repeat(401)),
      sourceFile("src/base/right.ts", "x\n".repeat(400)),
      sourceFile("src/text/some-table.ts", "x\n".repeat(900)),
    ];
    expect(lengthSmells(files).map(shown)).toEqual([
      "src/base/long.ts:401: 401 lines; look whether it has two purposes",
    ]);
  });

  test("the project's are shown", () => {
    for (const smell of lengthSmells(SOURCES)) console.warn(shown(smell));
  });
});

describe("decisions have a number, a date, a status and figures", () => {
  const sections = ["Context", "Decision", "Figures", "Rejected", "Consequences"];
  const body = sections.map((name) => `## ${name}\n`).join("");

  test("planted violations are found, and nothing else", () => {
    const files = Object.entries({
      "docs/adr/0001-a.md": `# 1. A\n\nDate: 2026-01-31. Status: accepted.\n\n${body}`,
      "docs/adr/0002-b.md": `# 2. B\n\nDate: 2026-02-01. Status: superseded by ADR 1.\n${body}`,
      "docs/adr/0003-c.md": `# 4. C\n\nDate: today. Status: accepted.\n${body}`,
      "docs/adr/0005-d.md": "# 5. D\n\nDate: 2026-02-01. Status: accepted.\n## Context\n",
    }).map(([path, text]) => sourceFile(path, text));
    const found = decisionFindings(files).map(shown);
    expect(found).toEqual([
      'docs/adr/0003-c.md:1: begin with "# 3. "',
      'docs/adr/0003-c.md:1: say "Date: YYYY-MM-DD. Status: accepted." or "superseded by ADR N."',
      "docs/adr/0005-d.md:1: number 4 is the next",
      ...sections.slice(1).map((name) => `docs/adr/0005-d.md:1: there is no section ${name}`),
    ]);
  });

  test("the project's do", () => {
    const names = readdirSync(`${ROOT}docs/adr`).sort();
    const files = names.map((name) => {
      return sourceFile(`docs/adr/${name}`, readFileSync(`${ROOT}docs/adr/${name}`, "utf8"));
    });
    expect(decisionFindings(files).map(shown)).toEqual([]);
  });
});

describe("files that documents name are there", () => {
  test("planted violations are found, and nothing else", () => {
    const text =
      "`src/a/b.ts` `b.ts` [c](c.ts) `x.test.ts`\n`a/c.ts`, `b`, `*.ts`, `/b.ts` `ab.ts`";
    const found = namedFileFindings([sourceFile("src/a/README.md", text)], ["src/a/b.ts"]);
    expect(found.map(shown)).toEqual([
      "src/a/README.md:2: there is no a/c.ts",
      "src/a/README.md:2: there is no ab.ts",
    ]);
  });

  test("the project's are", () => {
    const folders = [...FOLDERS, "docs", ".ci"];
    const paths = [".", ...folders].flatMap((folder) =>
      readdirSync(`${ROOT}${folder}`, { recursive: folder !== ".", encoding: "utf8" }).map((name) =>
        join(folder, name),
      ),
    );
    const documents = paths.filter(
      (path) => path.endsWith(".md") && !/^(?:docs\/adr\/|CHANGELOG)/.test(path),
    );
    const files = documents.map((path) => sourceFile(path, readFileSync(ROOT + path, "utf8")));
    expect(files.length).toBeGreaterThan(20);
    expect(namedFileFindings(files, paths).map(shown)).toEqual([]);
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
