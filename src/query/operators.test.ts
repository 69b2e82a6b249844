/** Every kind of node has one operator, in the file that declares the node. */

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  isProduct,
  readSourceFiles,
  type SourceFile,
  sourceFile,
} from "../../test/tidy/source-file.ts";
import { OperatorRegistry } from "./operator/operator-registry.ts";
import { AGGREGATES, COMPUTED, PLANS, PREDICATES, RANKINGS, SCORES } from "./operators.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILES = readSourceFiles(ROOT, ["src/query"]).filter(isProduct);
const REGISTRIES = [PLANS, PREDICATES, SCORES, RANKINGS, COMPUTED, AGGREGATES];
const KINDS = [...new Set(REGISTRIES.flatMap(({ kinds }) => kinds))].sort();

/** A node, or what a plan finds, with the kind that names its operator. */
const DECLARED = /interface \w+\s+extends [\w,\s]+\{\s*readonly kind: "(\w+)";/g;

function declaredKinds({ code }: SourceFile): string[] {
  return [...code.matchAll(DECLARED)].map(([, kind]) => kind);
}

describe("the registry", () => {
  test("has an operator for each node that is declared, from the file that declares it", () => {
    const [registry] = FILES.filter(({ path }) => path === "src/query/operators.ts");
    const imported = [...registry.code.matchAll(/from "\.\/([\w/-]+\.ts)"/g)]
      .map(([, path]) => `src/query/${path}`)
      .filter((path) => !path.startsWith("src/query/operator/"));
    const declaring = FILES.filter((file) => declaredKinds(file).length > 0);
    expect(declaring.map(({ path }) => path)).toEqual(imported.sort());
    const declared = declaring.flatMap((file) => [...new Set(declaredKinds(file))]).sort();
    expect(declared).toEqual(REGISTRIES.flatMap(({ kinds }) => kinds).sort());
  });

  test("takes one operator of a kind, and knows no others", () => {
    expect(() => new OperatorRegistry([{ kind: "a" }, { kind: "b" }, { kind: "a" }])).toThrow(
      "two",
    );
    const registry = new OperatorRegistry([{ kind: "a" }, { kind: "b" }]);
    expect(registry.of({ kind: "b" })).toEqual({ kind: "b" });
    expect(() => registry.of({ kind: "c" })).toThrow("no operator of kind c");
  });
});

/** Where requests, which have kinds of their own, are described, and turned into nodes. */
const BINDS = /^src\/query\/(bind\/|planner\/(plan-|request-(shape|kind)\.ts))/;
/** What is no node but has kinds that nodes have, too. */
const OTHERS = ["query", "result"];

/** Places that tell nodes apart by their kinds. */
function kindSwitches(files: readonly SourceFile[]): string[] {
  const compared = new RegExp(`(\\w+)\\.kind [!=]== "(?:${KINDS.join("|")})"`, "g");
  const switched = new RegExp(`case "(?:${KINDS.join("|")})"`, "g");
  return files
    .filter(({ path }) => !BINDS.test(path))
    .flatMap(({ path, code }) => [
      ...[...code.matchAll(compared)]
        .filter(([, subject]) => !OTHERS.includes(subject))
        .map(([text]) => `${path}: ${text}`),
      ...[...code.matchAll(switched)].map(([text]) => `${path}: ${text}`),
    ]);
}

describe("nobody but its operator knows what a node is", () => {
  test("planted switches are found, and nothing else", () => {
    const planted = {
      "src/query/planner/explain.ts": 'switch (node.kind) { case "bm25": case "string": }',
      "src/query/a.ts": 'if (rank.kind !== "vector_scan" && query.kind === "documents") {}',
      "src/query/bind/bind-filter.ts": 'switch (filter.kind) { case "and": }',
      "src/query/b.ts": '// case "bm25"\nif (data.kind === "array") {}',
    };
    const files = Object.entries(planted).map(([path, text]) => sourceFile(path, text));
    expect(kindSwitches(files)).toEqual([
      'src/query/planner/explain.ts: case "bm25"',
      'src/query/a.ts: rank.kind !== "vector_scan"',
    ]);
  });

  test("there are none", () => {
    expect(kindSwitches(FILES)).toEqual([]);
  });

  test("what describes requests cannot know nodes: it imports the model alone", () => {
    const describing = FILES.filter(({ path }) => /request-(shape|kind)\.ts$/.test(path));
    expect(describing).toHaveLength(2);
    const imported = describing.flatMap(({ code }) => [...code.matchAll(/from "([^"]+)"/g)]);
    expect(imported.length).toBeGreaterThan(2);
    for (const [, from] of imported) expect(from).toMatch(/^\.\.\/\.\.\/(base|model)\//);
  });
});
