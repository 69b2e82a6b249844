import { describe, expect, test } from "vitest";
import {
  BY_ID,
  documentOf,
  documentQuery,
  json,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { Slices } from "../../base/slices.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { PATTERN_SIZE_MAX } from "../../model/contract-limits.ts";
import type { Filter } from "../../model/filter.ts";
import { parseFilter } from "../../wire/query/parse-filter.ts";
import { runRequest } from "../executor/run-request.ts";
import type { PatternNode } from "../filter/pattern/pattern.ts";
import { stringMatcher, testBytes } from "../filter/pattern/string-test.ts";
import type { Predicate } from "../operator/plan.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import { bindFilter } from "./bind-filter.ts";
import { PatternBudget } from "./pattern-budget.ts";

const SCHEMA = schemaOf({ s: { type: "string", glob: true, regex: true, fuzzy: true } });

function filter(notation: unknown, path = "filters"): Filter {
  return parseFilter(path, json(notation));
}

function bind(notation: unknown, patterns = new PatternBudget()): Steps<Predicate> {
  const scope = { schema: SCHEMA, purpose: "query", requireIndex: () => undefined } as const;
  return bindFilter(filter(notation), { ...scope, patterns });
}

function failure(action: () => unknown) {
  try {
    action();
  } catch (error) {
    if (isDatabaseError(error)) return error;
    throw error;
  }
  throw new Error("accepted");
}

/** One of exactly so many instructions, with the places at its ends. */
const regexOf = (size: number) => ["s", "Regex", `^a{${size - 2}}$`];
const fuzzy = { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] };

describe("the size of all patterns of a request is bounded", () => {
  test("before anything is compiled, by what repeats multiply to", () => {
    const refused = failure(() => runSteps(bind(["s", "Regex", "a{0,999}".repeat(500)])));
    expect(refused.code).toBe("invalid");
    expect(refused.message).toBe(
      "💔 filters[2]: with this Regex pattern (size 999000), the request's patterns have a size " +
        "of 999000, at most 50000 are allowed; lower its repeat counts, name fewer characters, " +
        "or send several requests",
    );
    expect(refused).toMatchObject({ path: "filters[2]", attribute: "s" });
  });

  test("and named if it is exceeded", () => {
    const half = regexOf(PATTERN_SIZE_MAX / 2);
    const more = ["Or", [half, ["Not", ["And", [["s", "Fuzzy", "abcdefghi", fuzzy], half]]]]];
    const refused = failure(() => runSteps(bind(more)));
    expect(refused.path).toBe("filters[1][1][1][1][1][2]");
    expect(refused.message).toContain(`a size of ${PATTERN_SIZE_MAX + 9}, at most`);
    expect(runSteps(bind(["Or", [half, half]]))).toMatchObject({ kind: "or" });
  });

  test.each([
    ["Regex", "((a{1,50}){1,50}){1,50}"],
    ["Regex", "(((((a{999}){999}){999}){999}){999}){999}"],
    [
      "Regex",
      Array.from({ length: 1600 }, (_, i) => `[\\w${String.fromCodePoint(9216 + i)}]`).join(""),
    ],
    ["Regex", "(?i)\\p{L}".repeat(9).concat("x{50000}")],
  ])("%s %.30j is refused", (operator, pattern) => {
    const refused = failure(() => runSteps(bind(["s", operator, pattern])));
    const size = Number(/patterns have a size of (\d+)/.exec(refused.message)?.[1]);
    expect(size).toBeGreaterThan(PATTERN_SIZE_MAX);
  });

  test("over all subqueries together", () => {
    const snapshot = openSnapshot(SCHEMA, [{ documents: [documentOf(1n, { s: "aaa" })] }]);
    const queriesOf = (size: number) =>
      [0, 1].map((i) =>
        documentQuery(BY_ID, { filter: filter(regexOf(size), `queries[${i}].filters`) }),
      );
    const run = (size: number) =>
      runReads(runRequest(snapshot, requestOf(...queriesOf(size)), { kernels: KERNELS }));
    expect(run(PATTERN_SIZE_MAX / 2).results).toHaveLength(2);
    const refused = failure(() => run(PATTERN_SIZE_MAX / 2 + 1));
    expect(refused.path).toBe("queries[1].filters[2]");
    expect(refused.message).toMatch(/^💔 queries\[1\]\.filters\[2\]: with this/);
  });

  test("up to the bound patterns match", () => {
    const length = PATTERN_SIZE_MAX - 2;
    const { test: made } = runSteps(bind(regexOf(PATTERN_SIZE_MAX))) as PatternNode;
    const matcher = stringMatcher(made);
    for (const [text, expected] of [
      ["a".repeat(length), true],
      ["a".repeat(length - 1), false],
      ["a".repeat(length + 1), false],
    ] as const) {
      let found = matcher.test(text);
      while (typeof found !== "boolean") found = found.advance() ?? found;
      expect(found).toBe(expected);
    }
  });
});

describe("memory", () => {
  test("is charged for programs and the states that they may have", () => {
    const memory = new QueryMemory(new MemoryPool(2 ** 24));
    const nodes = [
      ["s", "Regex", "(?i)[a-k]{2,20}x"],
      ["s", "IGlob", "*needle*"],
      ["s", "Fuzzy", "haystacks", fuzzy],
    ].map((notation) => runSteps(bind(notation, new PatternBudget(memory))) as PatternNode);
    expect(memory.bytes).toBe(nodes.reduce((sum, node) => sum + testBytes(node.test), 0));
    memory.release();
    expect(memory.bytes).toBe(0);
  });

  test("that is not there refuses a pattern before it is compiled", () => {
    const pool = new MemoryPool(2 ** 20);
    const large = regexOf(40_000);
    const alone = () => runSteps(bind(large, new PatternBudget(new QueryMemory(pool))));
    expect(failure(alone)).toMatchObject({ code: "invalid" });
    expect(failure(alone).message).toContain("for patterns");
    pool.add(2 ** 20 - 1000);
    const small = () => runSteps(bind(regexOf(100), new PatternBudget(new QueryMemory(pool))));
    expect(failure(small).code).toBe("out_of_memory");
  });

  test("of an earlier request is free again once its query has ended", () => {
    const pool = new MemoryPool(2 ** 24);
    for (let i = 0; i < 50; i++) {
      const memory = new QueryMemory(pool);
      runSteps(bind(regexOf(PATTERN_SIZE_MAX), new PatternBudget(memory)));
      expect(pool.bytesUsed).toBeGreaterThan(2 ** 20);
      memory.release();
      expect(pool.bytesUsed).toBe(0);
    }
  });
});

describe("compiling", () => {
  // Each has 4 KB: repeats, classes, cases and groups.
  const patterns = [
    "(?:ab?){16}".repeat(300),
    "[a-c\\p{Greek}]".repeat(290),
    `(?i)${"[^k]".repeat(1000)}`,
    "(a|b|(c|d)*)".repeat(300),
    "\\w|".repeat(1300),
  ].map((pattern) => ["s", "Regex", pattern]);

  test.each(patterns)("%s %s %.20j pauses", (...notation) => {
    const steps = bind(notation);
    let count = 1;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(2);
  });

  test("ends with the query that it is for", async () => {
    let pauseCount = 0;
    const ended = new Error("cancelled");
    const slices = new Slices({
      clock: { monotonicMs: () => 0 },
      endsSlice: () => true,
      yield: async () => void pauseCount++,
      check: () => {
        if (pauseCount === 5) throw ended;
      },
    });
    const memory = new QueryMemory(new MemoryPool(2 ** 24));
    const steps = bind(regexOf(PATTERN_SIZE_MAX), new PatternBudget(memory));
    await expect(slices.run(steps)).rejects.toBe(ended);
    expect(pauseCount).toBe(5);
    expect(steps.next()).toEqual({ done: true, value: undefined });
    expect(memory.bytes).toBeGreaterThan(0);
    memory.release();
  });
});
