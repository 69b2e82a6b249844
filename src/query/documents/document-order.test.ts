/** Integers are ordered as their bigints are, in a segment and between two. */

import { expect, test } from "vitest";
import { documentOf, openSnapshot, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../base/random.ts";
import { idComparer, orderComparer } from "./document-order.ts";

const COUNT = 40;
const SIGNED = [0n, 1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 31n];

test("integers of all sizes compare as bigints do", () => {
  const random = seededRandom(7);
  const any = () => (BigInt(random.below(2 ** 31)) << 33n) ^ BigInt(random.below(2 ** 32));
  const values = [0, 1].map((segment) =>
    Array.from({ length: COUNT }, (_, i) => ({
      id: 2n * any() + BigInt(segment),
      n: SIGNED[i] ?? BigInt.asIntN(64, any() << BigInt(random.below(64))),
    })),
  );
  const contents = values.map((own) => ({
    documents: own.map(({ id, n }) => documentOf(id, { n })),
  }));
  const { segments } = openSnapshot(schemaOf({ n: "int" }), contents);
  const byId = idComparer(segments);
  const byNumber = orderComparer(segments, [{ attribute: "n", direction: "asc" }]);
  const known = segments.map(({ view }) => {
    const numbers = view.column("n")?.column.data as { readonly values: BigInt64Array };
    const ids = view.ids as { readonly values: BigUint64Array };
    return { numbers: numbers.values, ids: ids.values };
  });
  const sign = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
  for (let round = 0; round < 20_000; round++) {
    const [s, t, a, b] = [2, 2, COUNT, COUNT].map((most) => random.below(most));
    const ids = sign(known[s].ids[a], known[t].ids[b]);
    expect(byId(s, a, t, b)).toBe(ids);
    expect(byNumber(s, a, t, b)).toBe(sign(known[s].numbers[a], known[t].numbers[b]) || ids);
  }
});
