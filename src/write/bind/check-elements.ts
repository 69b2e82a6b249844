import { malformed } from "../../base/errors.ts";
import type { LooseValue } from "../../model/write-request.ts";
import type { LooseSource } from "./loose-source.ts";

/**
 * Refuses (422) an array of the value at `index` whose elements are null, or of several JSON types:
 * no type of attribute is like that. Numbers are of one type, with fractions or without.
 */
export function checkElements(
  source: LooseSource,
  index: number,
  elements: readonly LooseValue[],
): void {
  const kind = kindOf(elements[0]);
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    if (element !== null && kindOf(element) === kind) continue;
    const place = `${source.place(index)}[${i}]`;
    if (element === null) {
      throw malformed(place, "invalid type: null: elements of arrays must not be null");
    }
    throw malformed(
      place,
      `invalid type: ${nameOf(element)}, expected ${nameOf(elements[0])} as the elements before: ` +
        "those of an array must be of one type",
    );
  }
}

function kindOf(element: LooseValue | undefined): string {
  const kind = typeof element;
  return kind === "bigint" ? "number" : kind;
}

function nameOf(element: LooseValue | undefined): string {
  if (typeof element !== "object") return kindOf(element);
  return element instanceof Map ? "map" : "sequence";
}
