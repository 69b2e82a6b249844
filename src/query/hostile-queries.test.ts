/** Operands of every wrong kind: a query is answered or refused with a documented error. */

import { expect, test } from "vitest";
import {
  BY_ID,
  documentQuery,
  json,
  KERNELS,
  openSnapshot,
  requestOf,
} from "../../test/support/queries/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter as soundFilter,
} from "../../test/support/random/random-queries.ts";
import { runReads } from "../../test/support/segments/remote-segment.ts";
import { isDatabaseError } from "../base/errors.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { FILTER_OPERATORS, type Filter } from "../model/filter.ts";
import type { JsonValue } from "../model/json-value.ts";
import type { Query, RankBy, ScoreExpression } from "../model/query.ts";
import { bindCondition } from "./bind/bind-condition.ts";
import { runRequest } from "./executor/run-request.ts";

const SCHEMA = everyTypeSchema("uint", "cosine_distance");
const NAMES = ["id", "missing", ...SCHEMA.attributes.keys()];
const SCALARS = [null, true, 0, -1, 1.5, 1e300, 2 ** 63, "", "a", "[", "(", "1970-01-01", "7d"];

function randomJson(random: Random, depth: number): JsonValue {
  const kind = random.below(depth === 0 ? 4 : 8);
  if (kind < 4) return json(pick(random, SCALARS));
  if (kind === 4) return { values: Float64Array.of(1, 2.5), integers: false };
  if (kind === 5) return { values: Float64Array.of(1, 2), integers: true, exact: [[1, 1n << 64n]] };
  const values = Array.from({ length: random.below(3) }, () => randomJson(random, depth - 1));
  if (kind === 6) return values;
  const names = ["max_edit_distance", "last_as_prefix", "distance", "min_query_chars"];
  return new Map(values.map((value) => [pick(random, names), value]));
}

function randomFilter(random: Random): Filter {
  const kind = random.below(10);
  if (kind === 0) return { kind: "not", filter: randomFilter(random) };
  if (kind === 1) return { kind: "or", filters: [randomFilter(random), randomFilter(random)] };
  // Some sound parts, so that evaluation is reached too.
  if (kind < 6) return soundFilter(random, SCHEMA, 1);
  return {
    kind: "condition",
    attribute: pick(random, NAMES),
    operator: pick(random, FILTER_OPERATORS),
    operand:
      random.below(6) === 0
        ? { kind: "ref_new", attribute: pick(random, NAMES) }
        : { kind: "value", value: randomJson(random, 2) },
    ...(random.below(3) === 0 ? { options: randomJson(random, 3) } : {}),
  };
}

function randomExpression(random: Random): ScoreExpression {
  const attribute = pick(random, NAMES);
  switch (random.below(6)) {
    case 0:
      return { kind: "bm25", attribute, query: randomJson(random, 1), lastAsPrefix: true };
    case 1:
      return { kind: "sparse", attribute, entries: new Map([["a", -1]]) };
    case 2:
      return { kind: "dist", attribute, origin: randomJson(random, 1) };
    case 3: {
      const clause = randomExpression(random);
      const exponent = pick(random, [0, 1, Number.POSITIVE_INFINITY]);
      return { kind: "decay", clause, midpoint: randomJson(random, 1), exponent };
    }
    case 4:
      return { kind: "floor", floor: 0, clause: { kind: "attribute", attribute } };
    default:
      return { kind: "filter", filter: randomFilter(random) };
  }
}

function randomRank(random: Random): RankBy {
  const attribute = pick(random, NAMES);
  if (random.below(3) === 0) return { kind: "order", keys: [{ attribute, direction: "asc" }] };
  if (random.below(2) === 0) return { kind: "score", expression: randomExpression(random) };
  const values = new Float32Array(pick(random, [0, 2, 3])).fill(pick(random, [1, 3e38]));
  const operand =
    random.below(2) === 0
      ? ({ kind: "vector", values } as const)
      : ({ kind: "vectors", values: [values] } as const);
  return { kind: "vector", method: pick(random, ["ANN", "kNN"]), attribute, operand };
}

/** Runs `action`; anything but a refusal of the request is a bug. */
function answersOrRefuses(action: () => unknown, what: string): boolean {
  try {
    action();
    return true;
  } catch (error) {
    expect(isDatabaseError(error, "invalid", "malformed"), `${what}: ${error}`).toBe(true);
    return false;
  }
}

test("hostile queries are answered or refused", () => {
  const seed = 4242;
  const random = seededRandom(seed);
  const documents = randomDocuments(random, 25, { idType: "uint", types: EVERY_TYPE });
  const snapshot = openSnapshot(SCHEMA, [
    { documents: documents.slice(9) },
    { documents: documents.slice(0, 9) },
  ]);
  let answered = 0;
  for (let i = 0; i < 4000; i++) {
    const filter = random.below(2) === 0 ? undefined : randomFilter(random);
    const rankBy = filter === undefined ? randomRank(random) : BY_ID;
    const names = [pick(random, NAMES)];
    const query: Query =
      random.below(4) > 0
        ? documentQuery(rankBy, {
            filter,
            selection: pick(random, [{ kind: "all" }, { kind: "include", names: new Set(names) }]),
          })
        : {
            kind: "aggregate",
            filter,
            aggregates: new Map([["s", { kind: "sum", attribute: pick(random, NAMES) }]]),
            groupBy: [{ kind: "each_unique", name: "e", attribute: names[0] }],
            groupLimit: 9,
          };
    const run = () => runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
    if (answersOrRefuses(run, `seed ${seed}, query ${i}`)) answered++;
    if (filter === undefined) continue;
    const place = { view: snapshot.segments[0].view, ordinal: 0 as never };
    const next = (name: string) => place.view.column(name)?.place(place.ordinal);
    answersOrRefuses(() => {
      const found = runSteps(bindCondition(filter, SCHEMA))(place, next);
      if (typeof found !== "boolean") runSteps(found);
    }, `seed ${seed}, condition ${i}`);
  }
  expect(answered).toBeGreaterThan(300);
});
