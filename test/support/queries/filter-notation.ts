/** Filters in the wire's notation, for tests: `["And", [["n", "Gt", 5], …]]`. */

import { FILTER_OPERATORS, type Filter, type FilterOperator } from "../../../src/model/filter.ts";
import { json } from "./query-fixture.ts";

/** Reads a filter; operands are plain JavaScript values, see `json`. */
export function filterOf(notation: readonly unknown[]): Filter {
  const [first, second, third, ...rest] = notation;
  if (second !== undefined && third === undefined) {
    if (first === "Not") return { kind: "not", filter: filterOf(second as unknown[]) };
    if (first === "And" || first === "Or") {
      const filters = (second as unknown[][]).map(filterOf);
      return { kind: first === "And" ? "and" : "or", filters };
    }
  }
  if (!FILTER_OPERATORS.includes(second as FilterOperator))
    throw new Error(`no operator: ${second}`);
  const isReference = typeof third === "object" && third !== null && "$ref_new" in third;
  return {
    kind: "condition",
    attribute: String(first),
    operator: second as FilterOperator,
    operand: isReference
      ? { kind: "ref_new", attribute: String(third.$ref_new) }
      : { kind: "value", value: json(third) },
    ...(rest.length === 0 ? {} : { options: json(rest[0]) }),
  };
}
