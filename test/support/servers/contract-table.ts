/** Tables of requests and what the wire contract says of their answers. */

import { expect, test } from "vitest";
import { expectError } from "./contract-server.ts";
import type { RawAnswer } from "./sdk-client.ts";

/**
 * A name, a body (as a string where JavaScript would write its numbers otherwise), and either the
 * status of an error and parts of its text, or an answer without its figures.
 */
export type ContractRow = readonly [
  name: string,
  body: unknown,
  expected: number | object,
  ...parts: string[],
];

/** Makes one test of each row; `ask` sends its body. */
export function contractTable(
  rows: readonly ContractRow[],
  ask: (body: unknown) => Promise<RawAnswer>,
): void {
  test.each(rows)("%s", async (...row) => {
    const [, body, expected, ...parts] = row as unknown as ContractRow;
    const answer = await ask(body);
    if (typeof expected === "number") expectError(answer, expected, ...parts);
    else expect([answer.status, withoutStats(answer)]).toEqual([200, expected]);
  });
}

/** The answer without billing and performance; its text if it is no JSON. */
export function withoutStats({ json, text }: RawAnswer): unknown {
  if (json === undefined) return text;
  const { billing, performance, ...rest } = json;
  return rest;
}

/** Rows of documents that come with their ids alone. */
export function idRows(...ids: (number | string)[]): { rows: object[] } {
  return { rows: ids.map((id) => ({ id })) };
}

/** Rows of ids with scores. */
export function scoredRows(...scores: [id: number | string, dist: number][]): { rows: object[] } {
  return { rows: scores.map(([id, dist]) => ({ id, $dist: dist })) };
}
