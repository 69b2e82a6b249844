/** Score arithmetic over one fragment of a text, as if it were the document. */

import type { Operators, SoughtTerms, TextFragment } from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";

/** The fragment's score; undefined if no clause produces it. Only clauses on its text count. */
export function scoreFragment(
  node: ScoreNode,
  fragment: TextFragment,
  operators: Operators,
): number | undefined {
  return operators.score(node).fragments?.score(node, fragment, operators);
}

/** What the clauses on the attribute's text look for. */
export function termsInFragments(
  node: ScoreNode,
  attribute: string,
  operators: Operators,
): SoughtTerms[] {
  return operators.score(node).fragments?.terms(node, attribute, operators) ?? [];
}
