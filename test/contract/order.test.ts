/** Order by attributes, limits, and which attributes come back. */

import { beforeAll, describe, expect, test } from "vitest";
import { RANKING_DOCUMENTS } from "../support/documents/ranking-documents.ts";
import { expectFault, idsOf, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

type RankBy = ["id", "asc"];
const rank = (expression: unknown) => untyped<RankBy>(expression);

const namespace = testNamespaces("order");
const ns = namespace();

beforeAll(async () => {
  await ns.write(RANKING_DOCUMENTS);
});

describe("order by attributes", () => {
  test("is ascending or descending, nulls lowest, and has no $dist", async () => {
    expect((await ns.query({ rank_by: ["n", "asc"], limit: 5 })).rows).toEqual([
      { id: 2 },
      { id: 3 },
      { id: 1 },
    ]);
    expect(idsOf(await ns.query({ rank_by: ["heat", "asc"], limit: 5 }))).toEqual([3, 1, 2]);
    expect(idsOf(await ns.query({ rank_by: ["heat", "desc"], limit: 5 }))).toEqual([2, 1, 3]);
    const keys = rank([
      ["kind", "desc"],
      ["likes", "desc"],
    ]);
    expect(idsOf(await ns.query({ rank_by: keys, limit: 5 }))).toEqual([2, 3, 1]);
  });

  test("takes at most eight scalar attributes", async () => {
    const nine = rank(Array.from({ length: 9 }, () => ["n", "asc"]));
    await expectFault(ns.query({ rank_by: nine, limit: 5 }), 400);
    await expectFault(ns.query({ rank_by: ["words", "asc"], limit: 5 }), 400);
    await expectFault(ns.query({ rank_by: rank(["n", "up"]), limit: 5 }), 422);
  });

  test("a query without rank_by is a lookup in the order of ids", async () => {
    expect((await ns.query({ filters: ["kind", "Eq", "x"], limit: 5 })).rows).toEqual([
      { id: 1 },
      { id: 3 },
    ]);
  });
});

describe("limits", () => {
  test("limit, top_k and offset cut the ranking", async () => {
    const rank_by = rank(["id", "asc"]);
    expect(idsOf(await ns.query({ rank_by, top_k: 2 }))).toEqual([1, 2]);
    expect(idsOf(await ns.query({ rank_by, limit: { total: 2 } }))).toEqual([1, 2]);
    expect(idsOf(await ns.query(untyped({ rank_by, limit: 2, offset: 1 })))).toEqual([2, 3]);
  });

  test("limit.per keeps so many per key", async () => {
    const limit = { total: 10, per: { attributes: ["kind"], limit: 1 } };
    const include_attributes = ["kind"];
    for (const rank_by of [
      ["id", "desc"],
      ["vector", "ANN", [0, 3]],
      ["text", "BM25", "swim fish"],
    ]) {
      const answer = await ns.query({ rank_by: rank(rank_by), limit, include_attributes });
      expect(answer.rows?.map(({ kind }) => kind).sort()).toEqual(["x", "y"]);
    }
    await expectFault(ns.query({ rank_by: rank(["id", "asc"]), limit }), 400);
    const tooMany = { total: 1, per: { attributes: ["kind"], limit: 2 } };
    await expectFault(
      ns.query({ rank_by: rank(["id", "asc"]), limit: tooMany, include_attributes }),
      400,
    );
  });

  test("are checked", async () => {
    const rank_by = rank(["id", "asc"]);
    await expectFault(ns.query({ rank_by }), 400, "rank_by queries must specify top_k or limit");
    await expectFault(ns.query({ rank_by, top_k: 0 }), 400, "top_k must be between 1 and 10000");
    await expectFault(ns.query({ rank_by, top_k: 10_001 }), 400);
    await expectFault(ns.query({ rank_by, top_k: -1 }), 422);
    await expectFault(ns.query(untyped({ rank_by, limit: "1" })), 422, "untagged enum LimitInput");
    await expectFault(ns.query(untyped({ rank_by, limit: 5, offset: -1 })), 422);
    await expectFault(ns.query(untyped({ rank_by, limit: 5000, offset: 5000 })), 400);
    await expectFault(ns.query({ rank_by: rank([]), limit: 1 }), 400, "rank_by cannot be empty");
    await expectFault(ns.query({ rank_by: rank(["x"]), limit: 1 }), 422);
  });
});

describe("returned attributes", () => {
  test("include and exclude choose them", async () => {
    const query = { rank_by: rank(["id", "asc"]), limit: 1 };
    const row = async (extra: object) =>
      (await ns.query({ ...query, ...extra })).rows?.[0] ?? { id: 0 };
    expect(await row({})).toEqual({ id: 1 });
    expect(await row({ include_attributes: false })).toEqual({ id: 1 });
    expect(await row({ include_attributes: ["id", "n", "kind"] })).toEqual({
      id: 1,
      n: 3,
      kind: "x",
    });
    const all = Object.keys(await row({ include_attributes: true })).sort();
    expect(all).toEqual([
      "at",
      "heat",
      "id",
      "kind",
      "likes",
      "n",
      "terms",
      "text",
      "vector",
      "words",
    ]);
    const most = Object.keys(await row({ exclude_attributes: ["text", "vector", "nope"] })).sort();
    expect(most).toEqual(["at", "heat", "id", "kind", "likes", "n", "terms", "words"]);
    await expectFault(
      row({ include_attributes: ["nope"] }),
      400,
      'attribute "nope" not found in schema',
    );
    await expectFault(row({ exclude_attributes: ["id"] }), 400);
    const both = "cannot specify both include_attributes and exclude_attributes";
    await expectFault(row({ include_attributes: true, exclude_attributes: ["n"] }), 400, both);
  });
});
