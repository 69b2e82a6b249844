/** Rules about names, calls and comments. */

import { basename } from "node:path";
import { type Finding, isProduct, lineAt, type SourceFile } from "./source-file.ts";

interface BannedText {
  readonly pattern: RegExp;
  readonly message: string;
}

/** Folders that may ask the machine for time and chance. */
const MACHINE_FOLDERS = ["src/base/"];

/** Calls that only those folders may make, so that a simulation can own time and chance. */
const BANNED_CALLS: readonly BannedText[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b/g,
    message: "reads the machine's clock; take a Clock in the constructor",
  },
  {
    pattern: /\b(?:setTimeout|setInterval)\b|\btimers\/promises\b/g,
    message: "sets a timer; take a Clock in the constructor and use sleep or every",
  },
  {
    pattern: /\bMath\.random\b|\bcrypto\.(?:randomUUID|getRandomValues)\b|\brandomBytes\(/g,
    message: "draws from the machine's generator; take a Random in the constructor",
  },
];

/** Ways of exporting that hide where a thing comes from. */
const BANNED_EXPORTS: readonly BannedText[] = [
  { pattern: /^export default\b/gm, message: "exports a default; export by name" },
  { pattern: /^export \*/gm, message: "exports another file's names; import them from there" },
];

/** Drawers that say nothing about what is in them. */
const BANNED_FILE_NAMES =
  /^(?:index|utils?|types?|helpers?|common|misc|constants|shared)\.tsx?$|_v\d|-v\d+\.ts$/;

/** Words of identifiers that the glossary replaces. */
const BANNED_WORDS: ReadonlyMap<string, string> = new Map([
  ["doc id", "document id, or ordinal for the dense number"],
  ["doc ids", "document ids, or ordinals"],
  ["row id", "document id, or ordinal for the dense number"],
  ["field name", "attribute name"],
  ["field value", "attribute value"],
  ["lsn", "sequence number"],
  ["commit log", "WAL"],
  ["journal", "WAL"],
  ["sst", "segment"],
  ["sstable", "segment"],
  ["lexicon", "term dictionary"],
  ["hit list", "posting list"],
  ["vacuum", "compaction"],
  ["fast field", "column"],
  ["figures", "stats"],
  ["served text", "active text options"],
  ["served texts", "active text options"],
  ["deaths", "deletions"],
  ["killed ordinals", "deleted ordinals"],
  ["mostly dead", "mostly deleted"],
  ["filling", "copy target"],
  ["being filled", "copy target"],
  ["survey", "listing"],
  ["not resident", "bytes missing"],
  ["passing", "transient"],
  ["hear", "onMessage"],
  ["held documents", "retained documents"],
  ["let go", "release"],
  ["segment place", "arena range"],
  ["segment block", "arena bytes"],
  ["kernel block", "arena bytes"],
  ["far store", "remote store"],
  ["far segment", "remote segment"],
  ["segment home", "segment owner"],
  ["home of", "owner of"],
  ["weather", "fault profile"],
  ["accident", "process fault"],
  ["simulated world", "simulated cluster"],
  ["row sequences", "document sequences"],
  ["row input", "ordered input"],
]);

/** Calls and exports that the project does without. */
export function bannedCodeFindings(files: readonly SourceFile[]): Finding[] {
  return files.filter(isProduct).flatMap((file) => {
    const isMachine = MACHINE_FOLDERS.some((folder) => file.path.startsWith(folder));
    const calls = isMachine ? [] : BANNED_CALLS;
    return [...calls, ...BANNED_EXPORTS].flatMap(({ pattern, message }) =>
      [...file.bare.matchAll(pattern)].map((match) => ({
        path: file.path,
        line: lineAt(file, match.index),
        message: `${match[0]} ${message}`,
      })),
    );
  });
}

/** Comparisons of an error's message, which its author may reword. */
const MESSAGE_COMPARISONS = [
  /\.message\s*[!=]==/g,
  /[!=]==\s*[\w.]+\.message\b(?!\.)/g,
  /\bmessage\)?\.(?:includes|startsWith|endsWith|match|search|indexOf)\(/g,
  /\.(?:test|exec)\([^()]*\bmessage\b/g,
];

/** Files of `src` that compare messages all the same, with the reason. The list may only shrink. */
const COMPARED_MESSAGES: Readonly<Record<string, string>> = {
  "src/api/error-answer.ts": "V8's RangeError of a failed allocation has no code",
  "src/api/import-lines.ts": "takes the row's place out of a message; not all errors have a path",
  "src/query/bind/fault-place.ts": "puts a place behind the message's mark",
  "src/transfer/export/read-pages.ts": "the API's errors have no code for memory",
  "src/transfer/read/parquet/parquet-reader.ts": "errors of hyparquet have no code",
};

/** Errors that are recognized by their messages, and files that no longer do so. */
export function messageFindings(
  files: readonly SourceFile[],
  allowed: Readonly<Record<string, string>> = COMPARED_MESSAGES,
): Finding[] {
  const found = files
    .filter((file) => isProduct(file) && file.path.startsWith("src/"))
    .flatMap((file) =>
      MESSAGE_COMPARISONS.flatMap((pattern) => [...file.bare.matchAll(pattern)]).map((match) => ({
        path: file.path,
        line: lineAt(file, match.index),
        message: "compares an error's message; compare its code or class",
      })),
    );
  const needless = Object.keys(allowed).filter((path) => !found.some((one) => one.path === path));
  return [
    ...found.filter(({ path }) => !(path in allowed)),
    ...needless.map((path) => ({ path, line: 1, message: "take it out of COMPARED_MESSAGES" })),
  ];
}

/** File names that are no kebab-case name of the thing that the file holds. */
export function fileNameFindings(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    const name = basename(path);
    // AssemblyScript takes its exports from one entry file, index.ts by convention.
    if (path === "assembly/index.ts") return [];
    const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z-]+)*\.(?:tsx?|js)$/.test(name);
    if (kebab && !BANNED_FILE_NAMES.test(name)) return [];
    const message = "name the file in kebab-case after the thing that it exports";
    return [{ path, line: 1, message }];
  });
}

/** The kernel's exports are those of the Kernel interface, and documented there. */
const DOCUMENTED_ELSEWHERE = new Set(["assembly/index.ts"]);

/** Exports without a doc comment directly above. */
export function undocumentedFindings(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => !path.endsWith(".test.ts") && !DOCUMENTED_ELSEWHERE.has(path))
    .flatMap((file) => {
      const lines = file.text.split("\n");
      const findings: Finding[] = [];
      let documented = "";
      for (const [i, line] of lines.entries()) {
        const name = exportedName(line);
        if (name === undefined) continue;
        let above = i - 1;
        while (above >= 0 && /^(?:\/\/ (?:biome-ignore|@ts-ignore)|@)/.test(lines[above])) above--;
        // The overloads of a function share the comment of the first.
        if (name !== documented && !(lines[above] ?? "").endsWith("*/")) {
          const message = `${name} is exported without a doc comment; say what it promises`;
          findings.push({ path: file.path, line: i + 1, message });
        }
        documented = name;
      }
      return findings;
    });
}

function exportedName(line: string): string | undefined {
  const declared =
    /^export (?:(?:declare|abstract|async) )*(?:function\*?|class|const|let|interface|type) (\w+)/;
  return declared.exec(line)?.[1];
}

/** Comments that put work off. */
export function postponedFindings(files: readonly SourceFile[]): Finding[] {
  const mark = new RegExp(`\\b(?:${["TO", "DO"].join("")}|${["FIX", "ME"].join("")})\\b`, "g");
  return files.flatMap((file) =>
    [...file.text.matchAll(mark)].map((match) => ({
      path: file.path,
      line: lineAt(file, match.index),
      message: `${match[0]} puts work off; do it, or open an issue`,
    })),
  );
}

/** Identifiers with words that the glossary replaces. */
export function glossaryFindings(files: readonly SourceFile[]): Finding[] {
  // Most identifiers occur many times.
  const known = new Map<string, string | undefined>();
  const bannedIn = (identifier: string) => {
    if (!known.has(identifier)) known.set(identifier, bannedPhrase(identifier));
    return known.get(identifier);
  };
  return files.filter(isProduct).flatMap((file) =>
    [...file.bare.matchAll(/[A-Za-z_$][\w$]*/g)].flatMap((match) => {
      const banned = bannedIn(match[0]);
      if (banned === undefined) return [];
      const message = `${match[0]}: the glossary says ${BANNED_WORDS.get(banned)}`;
      return [{ path: file.path, line: lineAt(file, match.index), message }];
    }),
  );
}

function bannedPhrase(identifier: string): string | undefined {
  const words = ` ${wordsOf(identifier)} `;
  return [...BANNED_WORDS.keys()].find((phrase) => words.includes(` ${phrase} `));
}

/** The words of an identifier: `rowIdOf` → `row id of`. */
function wordsOf(identifier: string): string {
  return identifier
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_$]+/g, " ")
    .toLowerCase()
    .trim();
}
