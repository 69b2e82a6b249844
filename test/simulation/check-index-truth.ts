/**
 * Holds what servers say of indexes against each other: metadata, the 202 of a query with its
 * progress, and `exhaustive_search_count` tell one truth. While nobody changes a namespace, less
 * and less of it lacks an index, and what is `up-to-date` stays so.
 */

import type { Operation } from "./operation.ts";
import type { PlacedCommits } from "./place-commits.ts";

/** What an answer says of a namespace's indexes. */
interface Claim {
  readonly operation: Operation;
  /** Everything is indexed; undefined: it is not said. */
  readonly isUpToDate: boolean | undefined;
  /** Documents that some index lacks; undefined: it is not said. */
  readonly unindexedCount: number | undefined;
}

/** Says which answers contradict themselves or each other. */
export function indexFaults(
  operations: readonly Operation[],
  placed: PlacedCommits,
  limits: { readonly foldDocumentsMin: number },
): string[] {
  const faults: string[] = [];
  const claims = operations.flatMap((operation) => claimOf(operation) ?? []);
  for (const claim of claims) {
    const { operation, isUpToDate, unindexedCount } = claim;
    const own = selfFault(claim);
    if (own !== undefined) faults.push(`${shown(operation)}: ${own}`);
    // Indexers have folded everything by then.
    const isSettled = operation.isLast && operation.isSettled;
    if (isSettled && (isUpToDate === false || (unindexedCount ?? 0) > 0))
      faults.push(`${shown(operation)}: something is left to index`);
  }
  for (const [a, b] of quietPairs(claims, operations, placed)) {
    const fault = contradiction(a, b, limits.foldDocumentsMin);
    if (fault !== undefined)
      faults.push(`${shown(a.operation)}, then ${shown(b.operation)}: ${fault}`);
  }
  return faults;
}

function claimOf(operation: Operation): Claim | undefined {
  const { meaning, answer } = operation;
  if (meaning.kind === "metadata" && answer?.status === 200) {
    const { index } = answer.json;
    const isUpToDate = index.status === "up-to-date";
    return { operation, isUpToDate, unindexedCount: isUpToDate ? undefined : index.unindexed_rows };
  }
  // An eventual query may be of any earlier state.
  if (meaning.kind !== "query" || meaning.isEventual) return undefined;
  if (answer?.status === 202) {
    const [, done, total] = /(\d+) of (\d+) documents done/.exec(answer.json.error) ?? [];
    return { operation, isUpToDate: false, unindexedCount: Number(total) - Number(done) };
  }
  if (answer?.status !== 200) return undefined;
  const unindexedCount = answer.json.performance.exhaustive_search_count;
  return { operation, isUpToDate: undefined, unindexedCount };
}

/** Says what one answer cannot mean. */
function selfFault({ operation, unindexedCount = 0 }: Claim): string | undefined {
  const { status, json } = operation.answer ?? { json: {} };
  if (status === 202 && !(unindexedCount > 0)) return "an index without a rest is being built";
  if (unindexedCount > json.approx_row_count) return "more is unindexed than is there";
  return undefined;
}

/** Says why the second answer cannot come after the first one. */
function contradiction(a: Claim, b: Claim, foldDocumentsMin: number): string | undefined {
  const { json } = b.operation.answer ?? { json: {} };
  if (a.isUpToDate && b.isUpToDate === false) return "it was up to date";
  if (a.isUpToDate && b.unindexedCount) {
    const rows = json.performance?.approx_namespace_size;
    if (!(rows < foldDocumentsMin)) return `up to date, but ${b.unindexedCount} are not indexed`;
  }
  // The progress of one index says nothing of the others, or of the log.
  const isPart = b.operation.answer?.status === 202 || a.operation.answer?.status === 202;
  const [was, is] = [a.unindexedCount, b.unindexedCount];
  const hasGrown = was !== undefined && is !== undefined && is > was;
  return hasGrown && !isPart ? `${was} documents lacked an index, then ${is}` : undefined;
}

/** Answers of one server about one namespace, one after the other, with no change in between. */
function* quietPairs(
  claims: readonly Claim[],
  operations: readonly Operation[],
  placed: PlacedCommits,
): Generator<readonly [Claim, Claim]> {
  const ordered = [...claims].sort(
    (a, b) => (a.operation.answeredAt ?? 0) - (b.operation.answeredAt ?? 0),
  );
  const last = new Map<string, Claim>();
  for (const claim of ordered) {
    const { server, name, sentAt, answeredAt = 0 } = claim.operation;
    const key = JSON.stringify([server, name]);
    const before = last.get(key);
    last.set(key, claim);
    if (before === undefined || (before.operation.answeredAt ?? 0) > sentAt) continue;
    const from = before.operation.sentAt;
    const timeline = placed.timeline(name);
    if (timeline.indexAt(from) !== timeline.indexAt(answeredAt)) continue;
    if (!operations.some((other) => mayChange(other, name, from, answeredAt)))
      yield [before, claim];
  }
}

/** Whether a request was under way, or its outcome open, in a span of events. */
function mayChange(other: Operation, name: string, from: number, to: number): boolean {
  const { kind } = other.meaning;
  const isChange = ["write", "schema", "copy", "delete namespace"].includes(kind);
  if (!isChange || other.name !== name || other.sentAt > to) return false;
  const { answer, answeredAt = Number.POSITIVE_INFINITY } = other;
  return answeredAt > from || answer === undefined || answer.status >= 500;
}

function shown({ number, call, name, answer }: Operation): string {
  const { index, error, performance } = answer?.json ?? {};
  const told = JSON.stringify(index ?? error ?? performance);
  return `request ${number} ${call} ${name} (${answer?.status} ${told})`;
}
