/** Which strings of a segment may match a pattern, by the trigrams of its dictionary. */

import type { Steps } from "../../../base/steps.ts";
import { DICTIONARY_INDEX } from "../../../segment/columns/dictionary-index.ts";
import {
  inBoth,
  TRIGRAM_SECTIONS,
  type TrigramList,
  type TrigramView,
} from "../../../segment/columns/trigram-section.ts";
import type { SegmentView } from "../../../segment/view/segment-view.ts";
import type { Need, PredicateRun, SegmentRun } from "../../operator/operator.ts";
import { attributeNeeds } from "../attribute-source.ts";
import { isSorted } from "../sorted-source.ts";
import type { ValueNode } from "../value-node.ts";
import type { StringTest } from "./string-test.ts";
import type { TrigramFormula } from "./trigram-algebra.ts";

/** Lists of a conjunction that are read, the shortest; others would leave hardly fewer. */
const LISTS_MAX = 16;

const DIRECTORY = { sections: [TRIGRAM_SECTIONS.directory] };

/** A pattern about one attribute. */
interface TestNode extends ValueNode {
  readonly test: StringTest;
}

/** Tells, without reading anything, whether a segment has trigrams that a test asks for. */
export function hasTrigrams({ attribute, test }: TestNode, view: SegmentView): boolean {
  if (attribute === "id" || !view.hasIndex(DIRECTORY, attribute)) return false;
  return test.formula.kind !== "any";
}

/** Lists that are read: the strings of all of them and of all parts, or of some part. */
type ListPlan =
  | { readonly kind: "all"; readonly lists: TrigramList[]; readonly parts: readonly ListPlan[] }
  | { readonly kind: "some"; readonly parts: readonly ListPlan[] };

/** Undefined if any string may match. */
function planLists(formula: TrigramFormula, view: TrigramView): ListPlan | undefined {
  if (formula.kind === "any") return undefined;
  const parts = formula.parts.map((part) => planLists(part, view));
  const known = parts.filter((part) => part !== undefined);
  if (formula.kind === "some") {
    return known.length < parts.length ? undefined : { kind: "some", parts: known };
  }
  // Several trigrams may be in one bucket.
  const found: TrigramList[] = [];
  for (const trigram of formula.trigrams) {
    const list = view.listOf(trigram);
    if (list === undefined) continue;
    if (list.start === list.end) return { kind: "all", lists: [list], parts: [] };
    found.push(list);
  }
  const lists = found
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, i) => i === 0 || start !== found[i - 1].start)
    .sort((a, b) => bytesOf(a) - bytesOf(b));
  if (lists.length + known.length === 0) return undefined;
  return { kind: "all", lists: lists.slice(0, LISTS_MAX), parts: known };
}

function bytesOf({ start, end }: TrigramList): number {
  return end - start;
}

function* listsOf(plan: ListPlan): Generator<TrigramList> {
  if (plan.kind === "all") yield* plan.lists;
  for (const part of plan.parts) yield* listsOf(part);
}

/**
 * Looks at what `candidateGroups` looks at, and at all values where those are looked through; of
 * sorted values at the dictionary alone where all its strings are tried.
 */
export function candidateNeeds(node: TestNode, run: SegmentRun): Need[] {
  const { attribute, on, test } = node;
  const { view, together } = run;
  const isListed =
    isSorted(node, view) || (on === "value" && view.hasIndex(DICTIONARY_INDEX, attribute));
  const look = (): void => {
    const dictionary = view.index(DICTIONARY_INDEX, attribute);
    const trigrams = dictionary?.trigrams;
    const plan = trigrams && planLists(test.formula, trigrams);
    if (trigrams !== undefined && plan !== undefined) lookAt(plan, trigrams, run);
    // Which documents have the strings that pass is known once all were tested.
    else if (!isSorted(node, view)) together(attributeNeeds(attribute, view));
  };
  return isListed ? [look] : [look, ...attributeNeeds(attribute, view)];
}

function lookAt(plan: ListPlan, trigrams: TrigramView, { together }: SegmentRun): void {
  together([...listsOf(plan)].map((list) => () => void trigrams.groups(list)));
}

/** The groups of strings that may pass, ascending; undefined if any may. */
export function* candidateGroups(
  test: StringTest,
  trigrams: TrigramView,
  run: PredicateRun,
): Steps<Uint32Array | undefined> {
  const plan = planLists(test.formula, trigrams);
  if (plan === undefined) return undefined;
  lookAt(plan, trigrams, run);
  run.memory?.take(GROUP_MEMORY * trigrams.groupCount, "what patterns match");
  return yield* groupsOf(plan, trigrams, run);
}

/** Bytes of a group in a list that is read, and in one that comes of it. */
const GROUP_MEMORY = 8;

function* groupsOf(plan: ListPlan, trigrams: TrigramView, run: PredicateRun): Steps<Uint32Array> {
  if (plan.kind === "some") {
    const isFound = new Uint8Array(trigrams.groupCount);
    for (const part of plan.parts) {
      for (const group of yield* groupsOf(part, trigrams, run)) isFound[group] = 1;
    }
    return numbersOf(isFound);
  }
  let found: Uint32Array | undefined;
  for (const list of plan.lists) {
    const before: Uint32Array | undefined = found;
    found = before === undefined ? trigrams.groups(list) : trigrams.groupsWithin(list, before);
    run.work.postingsTouched += (before ?? found).length;
    if (found.length === 0) return found;
    yield;
  }
  for (const part of plan.parts) {
    const groups = yield* groupsOf(part, trigrams, run);
    found = found === undefined ? groups : inBoth(found, groups);
    if (found.length === 0) return found;
  }
  return found ?? new Uint32Array(0);
}

function numbersOf(isFound: Uint8Array): Uint32Array {
  let count = 0;
  for (const one of isFound) count += one;
  const numbers = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < isFound.length; i++) if (isFound[i] === 1) numbers[at++] = i;
  return numbers;
}
