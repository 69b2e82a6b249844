import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { EXPRESSION_FORM } from "../query/expression-forms.ts";
import { QUERY_FORM } from "../query/query-forms.ts";
import { WRITE_FORMS } from "../write/write-forms.ts";
import {
  JSON_CONTAINERS_MAX,
  JSON_STRING_BYTES_MAX,
  JSON_VALUES_MAX,
  JsonBuild,
} from "./json-build.ts";
import { JsonDom, readJsonValue } from "./json-dom.ts";
import { ANY_FORM, type JsonForm } from "./json-form.ts";
import { JsonTokens } from "./json-tokens.ts";
import { UnknownMembers } from "./unknown-members.ts";

/** Element counts above the limits of values and of containers. */
const MANY = JSON_VALUES_MAX + 10;
const MANY_CONTAINERS = JSON_CONTAINERS_MAX + 10;
/** List length for elements that do not count towards a limit; a short list suffices. */
const UNCOUNTED = effort({ usual: 1000, full: MANY });
const list = (element: string, count = UNCOUNTED) =>
  `[${`${element},`.repeat(count).slice(0, -1)}]`;

function read(text: string, form: JsonForm = QUERY_FORM): { build: JsonBuild; fault?: string } {
  const tokens = new JsonTokens();
  tokens.window.push(new TextEncoder().encode(text));
  tokens.window.ended = true;
  const build = new JsonBuild(new UnknownMembers());
  try {
    readJsonValue(tokens, form, build);
    return { build };
  } catch (error) {
    return { build, fault: (error as Error).message };
  }
}

describe("nothing is built of what is not known", () => {
  test.each([
    ["at the root", `{"limit":1,"x":${list("{}", MANY)}}`, 1],
    ["in a subquery", `{"queries":[{"limit":1,"x":${list("[1]")}}]}`, 3],
    ["in a limit", `{"limit":{"total":1,"per":{"x":${list("{}")}},"x":[[]]}}`, 3],
    ["beside a level", `{"consistency":{"level":"strong","x":${list('"a"')}}}`, 2],
    ["in a filter's options", `{"filters":["a","Fuzzy","b",{"x":${list("{}")}}]}`, 5],
    ["in a curve", `{"rank_by":["Decay",["Attribute","a"],{"x":${list("{}")}}]}`, 6],
    ["in a highlight", `{"compute_attributes":{"h":["Highlight","a",{"x":${list("{}")}}]}}`, 5],
    ["beside a model", `{"rank_by":["v","ANN",["Embed","t",{"x":${list("{}")}}]]}`, 5],
    ["in a fusion", `{"rerank_by":["RRF",{"x":${list("{}")}}]}`, 3],
    ["under many names", `{${Array.from({ length: 5000 }, (_, i) => `"x${i}":{}`).join(",")}}`, 0],
  ])("%s", (_, text, valueCount) => {
    const { build, fault } = read(text);
    expect(fault).toBeUndefined();
    expect(build.valueCount).toBe(valueCount);
    expect(build.unknown.warning()).toMatch(/^unknown field ".*x/);
  });

  test("in a declaration", () => {
    const schema = WRITE_FORMS.get("schema") ?? ANY_FORM;
    const { build } = read(`{"a":{"type":"string","x":${list("{}")}}}`, schema);
    expect(build.valueCount).toBe(2);
  });
});

describe("what is known ends at the first bound", () => {
  test.each([
    [
      "objects",
      `{"filters":${list("{}", MANY_CONTAINERS)}}`,
      `filters[${JSON_CONTAINERS_MAX - 2}]`,
    ],
    [
      "arrays",
      `{"rank_by":["Sum",${list("[]", MANY_CONTAINERS)}]}`,
      `rank_by[1][${JSON_CONTAINERS_MAX - 3}]`,
    ],
    [
      "objects of a value",
      `{"top_k":${list("{}", MANY_CONTAINERS)}}`,
      `top_k[${JSON_CONTAINERS_MAX - 2}]`,
    ],
  ])("%s", (_, text, path) => {
    const { build, fault } = read(text);
    expect(build.containerCount).toBe(JSON_CONTAINERS_MAX);
    const rule = `a request may have at most ${JSON_CONTAINERS_MAX} arrays and objects`;
    expect(fault).toContain(`💔 ${path}: ${rule} at line 1 column `);
  });

  test.each([["strings", `{"rank_by":${list('"a"', MANY)}}`, JSON_VALUES_MAX]])(
    "%s",
    (_, text, valueCount) => {
      const { build, fault } = read(text);
      expect(build.valueCount).toBe(valueCount);
      expect(fault).toContain(`a request may have at most ${JSON_VALUES_MAX} values at line 1`);
    },
  );

  test.each([
    ["numbers", `{"rank_by":${list("1", 4097)}}`, "rank_by: an array here may have at most 4096"],
    [
      "names",
      `{"include_attributes":${list('"a"', 4097)}}`,
      "include_attributes[4096]: an array here may have at most 4096 elements",
    ],
    [
      "characters",
      `{"filters":["a","Eq","${"x".repeat(JSON_STRING_BYTES_MAX)}"]}`,
      "filters[2]: a string here may have at most 1048576 bytes of JSON",
    ],
  ])("too many %s of one value", (_, text, rule) => {
    expect(read(text).fault).toContain(`💔 ${rule}`);
  });

  test("members are counted, and so are numbers among strings", () => {
    const valueCount = (text: string) => read(text).build.valueCount;
    const ofMembers = (count: number) =>
      valueCount(`{"rank_by":["a","SparseKNN",{${members(count)}}]}`);
    expect(ofMembers(14) - ofMembers(9)).toBe(5);
    const ofNumbers = (count: number) =>
      valueCount(`{"filters":["a","In",["b",${list("1", count).slice(1)}]}`);
    expect(ofNumbers(14) - ofNumbers(9)).toBe(5);
  });

  test
    .runIf(effort({ usual: false, full: true }))
    .each([
      ["numbers among strings", () => `{"filters":["a","In",["b",${list("1", MANY).slice(1)}]}`],
    ])("%s", (_, text) => {
    const { build, fault } = read(text());
    expect(build.valueCount).toBe(JSON_VALUES_MAX);
    expect(fault).toContain(`a request may have at most ${JSON_VALUES_MAX} values at line 1`);
  });

  test("members of a sparse vector", () => {
    const { fault } = read(`{"rank_by":["a","SparseKNN",{${members(9000)}}]}`);
    expect(fault).toMatch(/^.*rank_by\[2\].*: an object here may have at most 8192 members/);
  });

  test("names of a schema", () => {
    const names = Array.from({ length: 5000 }, (_, i) => `"a${i}":"string"`).join(",");
    const { build, fault } = read(`{${names}}`, WRITE_FORMS.get("schema"));
    expect(build.valueCount).toBe(4096);
    expect(fault).toContain("a4096: an object here may have at most 4096 members");
  });

  test("dimensions of a vector, before they are read", () => {
    const { build, fault } = read(`{"rank_by":["v","ANN",[[1],${list("0.5", MANY)}]]}`);
    expect(fault).toBe(`💔 rank_by[2][1]: a vector has at most 10752 dimensions, got ${MANY}`);
    expect(build.containerCount).toBe(5);
  });
});

test("lists that may be long are not counted by their elements", () => {
  for (const element of ["17", "0.5", '"a"', "true", '"\\u00e9"']) {
    const count = element === "17" ? MANY : UNCOUNTED;
    const { build, fault } = read(`["a","In",${list(element, count)}]`, EXPRESSION_FORM);
    expect(fault).toBeUndefined();
    expect([build.valueCount, build.containerCount]).toEqual([3, 2]);
  }
});

test("as many expressions as a request may have are within the bounds", () => {
  const filter = '["a","In",[1,2,3,4,5,6]]';
  const { build, fault } = read(`{"filters":["And",${list(filter, 65_535)}]}`);
  expect(fault).toBeUndefined();
  expect(build.valueCount).toBeLessThan(JSON_VALUES_MAX);
});

function members(length: number): string {
  return Array.from({ length }, (_, i) => `"${i.toString(36)}":1`).join(",");
}

test("a value that is read in steps is the same, in as many as it is long", () => {
  const parts = [
    `{"filters":["n","In",${list("123456", 5000)}]}`,
    `{"filters":["n","In",${list("1.5", 20)}],"x":${list('{"a":[1]}', 3000)},"limit":9}`,
    `{"filters":["n","In",[1,2,3,4,5,6,7,8,9,"a",12345678901234567890]]}`,
    `{"filters":["n","In",[1,2,3,4,5,6,7,8,9,12345678901234567890]]}`,
    `{"queries":${list('{"rank_by":["v","ANN",[0.5,0.25]],"limit":1e1}', 300)}}`,
    "[]",
    " 7 ",
  ];
  for (const text of parts) {
    const tokensOf = () => {
      const tokens = new JsonTokens();
      tokens.window.push(new TextEncoder().encode(text));
      tokens.window.ended = true;
      return tokens;
    };
    const expected = readJsonValue(tokensOf(), QUERY_FORM, new JsonBuild(new UnknownMembers()));
    for (const stepBytes of [1, 7, 1000]) {
      const build = new JsonBuild(new UnknownMembers());
      const dom = new JsonDom(tokensOf(), QUERY_FORM, build);
      let steps = 1;
      while (!dom.step(stepBytes)) steps++;
      expectEqual(dom.value, expected);
      if (stepBytes === 1000) expect(steps).toBeGreaterThan(text.length / 1100 - 1);
    }
  }
});
