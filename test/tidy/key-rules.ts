/**
 * The rule about keys of tables. V8 hashes strings under a random seed, but numbers and bigints
 * under none: a client that chooses them can have all of them in one bucket, and a `Map` or `Set`
 * of 60,000 such keys takes minutes (ADR 68).
 */

import { relative } from "node:path";
import type { NewExpression, Node } from "typescript/unstable/ast";
import { isIdentifier, isNewExpression } from "typescript/unstable/ast/is";
import type { FileSystem } from "typescript/unstable/fs";
import {
  API,
  type Checker,
  type Type,
  TypeFlags,
  type TypeReference,
} from "typescript/unstable/sync";
import type { Finding } from "./source-file.ts";

/** Kinds of keys that may be numbers or bigints. */
const NUMERIC =
  TypeFlags.NumberLike |
  TypeFlags.BigIntLike |
  TypeFlags.TypeParameter |
  TypeFlags.Any |
  TypeFlags.Unknown;

/** Files that have such keys, with the reason why no client chooses them. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "numbers that this program counts up": [
    "src/cache/cache-service.ts",
    "src/cache/resident-ranges.ts",
    "src/embed/onnx/onnx-embedding-provider.ts",
    "src/indexer/garbage/sightings.ts",
    "src/namespace/checkpoints/held-objects.ts",
    "src/namespace/generations/namespace-generations.ts",
    "src/namespace/recovery/repair-copy.ts",
    "src/threads/query/query-dispatcher.ts",
    "src/threads/query/query-division.ts",
    "src/threads/query/query-service.ts",
    "src/threads/query/snapshots/snapshot-directory.ts",
    "src/threads/write/write-calls.ts",
    "src/threads/write/write-service.ts",
  ],
  "code points, and numbers of classes of them: too few of them share a bucket": [
    "src/query/filter/pattern/expression-formula.ts",
    "src/text/patterns/case-folding.ts",
    "src/text/patterns/pattern-program.ts",
    "src/text/patterns/regex-syntax.ts",
  ],
  "positions from 0 on: ordinals, blocks, chunks, codes, rows of a list": [
    "src/query/aggregate/place-sums.ts",
    "src/query/executor/measure-recall.ts",
    "src/query/project/vector-dist.ts",
    "src/query/vector/byte-coded-segment.ts",
    "src/query/vector/coded-segment.ts",
    "src/query/vector/vector-chunks.ts",
    "src/query/vector/vector-scan.ts",
    "src/segment/format/decoded-documents.ts",
    "src/segment/postings/bitset-section.ts",
    "src/storage/disk-cache/disk-cache-store.ts",
    "src/storage/disk-cache/disk-cache.ts",
    "src/transfer/import/settle-batch.ts",
    "src/transfer/read/arrow/arrow-cells.ts",
    "src/wire/answers/service-answers.ts",
    "src/wire/json/json-tokens.ts",
    "src/write/bind/embed-documents.ts",
  ],
  "places in memory, and of sections in a segment": [
    "src/cache/cache-reader.ts",
    "src/cache/resident-object.ts",
    "src/kernel/arena-kernels.ts",
    "src/kernel/arena.ts",
    "src/segment/format/bytes-missing.ts",
  ],
  constants: [
    "src/base/node-version.ts",
    "src/client/retry-plan.ts",
    "src/http/observability/client-telemetry.ts",
    "src/http/request-ends.ts",
    "src/reference/error-docs.ts",
    "src/segment/stored-segment-writer.ts",
    "src/trace/span-exporter.ts",
    "src/wire/query/expression-forms.ts",
  ],
  "names, or objects": [
    "src/threads/query/turns/fair-turns.ts",
    "src/threads/query/turns/multilevel-turns.ts",
  ],
  "lengths of words, and of arrays in a sample of some hundred documents": [
    "src/query/project/highlight.ts",
    "src/transfer/import/column-sample.ts",
    "src/transfer/import/infer-type.ts",
  ],
};

/** Root of the project to check. */
export interface CheckedProject {
  readonly root: string;
  /** Absolute path of its configuration for the compiler. */
  readonly config: string;
  /** Files that are not on the disk. */
  readonly fs?: FileSystem;
}

/** Constructions of `Map` and `Set` below `src/` whose keys may be numbers or bigints. */
export function numericKeyFindings(
  { root, config, fs }: CheckedProject,
  allowed: Readonly<Record<string, readonly string[]>> = ALLOWED,
): Finding[] {
  const api = new API({ cwd: root, ...(fs && { fs }) });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    const { program, checker } = project;
    const found = program.getSourceFileNames().flatMap((name) => {
      const path = relative(root, name).replaceAll("\\", "/");
      const isChecked = path.startsWith("src/") && !path.endsWith(".test.ts");
      const file = isChecked ? program.getSourceFile(name) : undefined;
      if (file === undefined || !/\bnew (?:Map|Set)\b/.test(file.text)) return [];
      const nodes = constructions(file);
      const numeric = nodes.filter((node) => isNumeric(keyType(node, checker)));
      return numeric.map((node) => ({
        path,
        line: file.text.slice(0, node.end).split("\n").length,
        message:
          "keys may be numbers or bigints, which V8 hashes without a seed: take a ScalarMap, " +
          "ScalarSet or WordTable, say the key's type, or list in key-rules.ts who chooses them",
      }));
    });
    return judged(found, new Set(Object.values(allowed).flat()));
  } finally {
    api.close();
  }
}

/** Leaves out what is allowed; files that are allowed without need are findings themselves. */
function judged(found: readonly Finding[], allowed: ReadonlySet<string>): Finding[] {
  const needed = new Set(found.map(({ path }) => path));
  const message = "has no keys that are numbers: take it out of key-rules.ts";
  return [
    ...found.filter(({ path }) => !allowed.has(path)),
    ...[...allowed].filter((path) => !needed.has(path)).map((path) => ({ path, line: 1, message })),
  ];
}

function constructions(file: Node): NewExpression[] {
  const found: NewExpression[] = [];
  const visit = (node: Node): void => {
    if (isNewExpression(node) && isIdentifier(node.expression)) {
      if (["Map", "Set"].includes(node.expression.text)) found.push(node);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** An empty table without types has the types of its target. */
function keyType(node: NewExpression, checker: Checker): Type | undefined {
  const own = firstArgument(checker.getTypeAtLocation(node), checker);
  if (own !== undefined && (own.flags & TypeFlags.Any) === 0) return own;
  return firstArgument(checker.getContextualType(node), checker) ?? own;
}

function firstArgument(type: Type | undefined, checker: Checker): Type | undefined {
  if (type === undefined || (type.flags & TypeFlags.Object) === 0) return undefined;
  return checker.getTypeArguments(type as TypeReference)[0];
}

function isNumeric(type: Type | undefined): boolean {
  if (type === undefined || (type.flags & NUMERIC) !== 0) return true;
  if (!type.isUnionType() && !type.isIntersectionType()) return false;
  return (type.getTypes() ?? []).some(isNumeric);
}
