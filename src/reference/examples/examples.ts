/** All examples in the order in which they are sent, with the answers that they get. */

import { EXAMPLE_ANSWERS } from "./answers-table.ts";
import { EXAMPLE_NAMESPACE, type ExampleRequest } from "./api-example.ts";
import { NAMESPACE_EXAMPLES } from "./namespace-examples.ts";
import { QUERY_EXAMPLES } from "./query-examples.ts";
import { WRITE_EXAMPLES } from "./write-examples.ts";

/** A request with its answer. */
export interface ApiExample extends ExampleRequest {
  /** The parameters of its path, and the namespace of examples that name none. */
  readonly path: Readonly<Record<string, string>>;
  readonly status: number;
  /** JSON, with what differs each time as in `EXAMPLE_VALUES`; undefined: the answer is no JSON. */
  readonly answer: unknown;
}

/** See the file's head. */
export const EXAMPLES: readonly ApiExample[] = [
  ...WRITE_EXAMPLES,
  ...QUERY_EXAMPLES,
  ...NAMESPACE_EXAMPLES,
].map((example) => ({
  ...example,
  path: { namespace: EXAMPLE_NAMESPACE, ...example.path },
  status: example.status ?? 200,
  answer: answerTo(example.name),
}));

function answerTo(name: string): unknown {
  return Object.hasOwn(EXAMPLE_ANSWERS, name) ? EXAMPLE_ANSWERS[name] : undefined;
}
