/**
 * Holds every answer against the histories: what was acknowledged is there, once; what was refused
 * is not; what was read is a state that a reader of that moment may see (I1 to I5, I8, I10, I14).
 */

import {
  applyWrite,
  canonicalAnswer,
  documentsText,
  type NamespaceState,
  queryText,
  type WriteCounts,
} from "./namespace-state.ts";
import { fateOf, type Meaning, type Operation } from "./operation.ts";
import type { PlacedCommits, Placement } from "./place-commits.ts";
import type { Timeline } from "./timeline.ts";

/** What a bug answers. */
const BUG = "🐡";

/** How the run went, as far as answers may show it. */
export interface Circumstances {
  /** More than one server ran at times. */
  readonly manyServers: boolean;
  /** The store has answered with damaged bytes. */
  readonly isDamaged: boolean;
  /** A server may have been asleep for longer than what it reads is kept for it. */
  readonly mayLagBehind: boolean;
}

/** Says what is wrong with the answers. */
export function answerFaults(
  operations: readonly Operation[],
  placed: PlacedCommits,
  circumstances: Circumstances,
): string[] {
  const checking = new Checking(placed, circumstances);
  const byAnswer = [...operations].sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));
  for (const operation of byAnswer) checking.check(operation);
  return checking.faults;
}

/** What an answer has shown. */
interface Sight {
  /** At which it was shown. */
  readonly event: number;
  /** Position in the name's timeline. */
  readonly index: number;
  readonly server: string | undefined;
}

class Checking {
  readonly faults: string[] = [];
  readonly #placed: PlacedCommits;
  readonly #circumstances: Circumstances;
  /** By name. */
  readonly #seen = new Map<string, Sight[]>();

  constructor(placed: PlacedCommits, circumstances: Circumstances) {
    this.#placed = placed;
    this.#circumstances = circumstances;
  }

  check(operation: Operation): void {
    const placement = this.#placed.placements.get(operation);
    if (placement !== undefined) this.#checkPlaced(operation, placement);
    const { answer } = operation;
    if (answer === undefined) {
      if (operation.isLast) this.#fault(operation, "no answer without faults");
      return;
    }
    this.#checkEnvelope(operation, answer);
    if (answer.status >= 500 || answer.status === 429 || answer.status === 408) return;
    const isText = operation.meaning.kind === "query" && operation.meaning.looksAtText;
    if (answer.status === 202 && isText && !operation.isLast) return; // An index is being made.
    if (operation.meaning.kind === "list") this.#checkList(operation);
    else if (placement === undefined) this.#checkRead(operation);
  }

  /** A change that took effect: in its time, once, and as its answer says. */
  #checkPlaced(operation: Operation, { index, counts }: Placement): void {
    const { sentAt, answeredAt = Number.POSITIVE_INFINITY, answer, name } = operation;
    const { event, epoch } = this.#placed.timeline(name).positions[index];
    if (event < sentAt) this.#fault(operation, "took effect before it was sent");
    const fate = fateOf(operation);
    if (fate === "nothing") this.#fault(operation, "I14: refused, but it took effect");
    if (fate !== "happened" || answer === undefined) return;
    if (event > answeredAt) this.#fault(operation, "I1: acknowledged before it was durable");
    this.#sees(operation, index);
    const wanted = counts.filter((_, variant) => epoch.possible[variant]);
    const isWrite = operation.meaning.kind === "write";
    if (isWrite && !wanted.some((one) => one && saysCounts(answer.json, one))) {
      this.#fault(operation, `I6: should say ${JSON.stringify(wanted)}`);
    }
  }

  #checkEnvelope(operation: Operation, { status, json }: { status: number; json: unknown }): void {
    if (status === 200 || (status === 202 && !operation.isLast)) return;
    const shape = json as { status?: unknown; error?: unknown };
    if (shape?.status !== "error" || typeof shape.error !== "string") {
      this.#fault(operation, "I14: no error envelope");
    } else if (shape.error.includes(BUG)) {
      this.#fault(operation, "I14: a bug");
    }
    const isKnown = [202, 400, 404, 408, 409, 429, 500, 503].includes(status);
    if (!isKnown) this.#fault(operation, "I14: undocumented status");
    const { isDamaged, mayLagBehind, manyServers } = this.#circumstances;
    // What another process has removed meanwhile looks like what is lost.
    const isMissing = /missing, but/.test(String(shape.error)) && !operation.isLast;
    if (status === 500 && !isDamaged && !(isMissing && (mayLagBehind || manyServers))) {
      this.#fault(operation, "I18: damage where nothing was damaged");
    }
    if (operation.isLast && (status >= 429 || status === 408))
      this.#fault(operation, "trouble without faults");
  }

  /** An answer that tells of a state without changing it. */
  #checkRead(operation: Operation): void {
    const { meaning, name } = operation;
    const timelines = [this.#placed.timeline(name)];
    if (meaning.kind === "copy") timelines.push(this.#placed.timeline(meaning.source));
    const names = meaning.kind === "copy" ? [name, meaning.source] : [name];
    const found = timelines.map((timeline, i) => {
      const test = meaning.kind === "copy" ? copyFits(i === 0) : fitsOf(meaning);
      return timeline.find(this.#range(operation, timeline, names[i]), (state, index) => {
        const others = mayUseOldIndex(operation) ? withOlderTexts(state, timeline, index) : [];
        return [state, ...others].some((one) => test(one, operation));
      });
    });
    const [index] = found;
    if (found.every((one) => one === undefined)) {
      this.#fault(operation, this.#expectation(operation, timelines[0]));
    } else if (index !== undefined && meaning.kind !== "copy") {
      this.#sees(operation, index);
    }
  }

  /** Names that were there all the time are listed; at the end, exactly those that are there. */
  #checkList(operation: Operation): void {
    const { answer, isLast } = operation;
    const found: readonly { id: string }[] = answer?.json.namespaces ?? [];
    const listed = found.map(({ id }) => id);
    for (const [name, timeline] of this.#placed.timelines) {
      const { first, last } = this.#range(operation, timeline, name);
      const states = timeline.positions.slice(first, last + 1).flatMap(({ states: all }) => all);
      const isThere = states.every((state) => state !== undefined);
      if (isThere && !listed.includes(name)) this.#fault(operation, `I1: ${name} is not listed`);
      const isGone = states.every((state) => state === undefined);
      if (isLast && isGone && listed.includes(name)) {
        this.#fault(operation, `I2: ${name} is listed`);
      }
    }
  }

  /**
   * Positions that the answer may be of. The first is the last one that any client has seen before,
   * by its own server where that need not ask what others have written.
   */
  #range(
    { server, sentAt, answeredAt = 0, isLast, meaning }: Operation,
    timeline: Timeline,
    name: string,
  ): { first: number; last: number } {
    const newest = timeline.indexAt(answeredAt);
    if (isLast) return { first: newest, last: newest };
    const mayLack = isWeak(meaning) && this.#circumstances.manyServers;
    let first = 0;
    for (const seen of this.#seen.get(name) ?? []) {
      const isBound = seen.server === server || !mayLack;
      if (isBound && seen.event <= sentAt) first = Math.max(first, seen.index);
    }
    return { first, last: newest };
  }

  #sees({ name, server, answeredAt = 0 }: Operation, index: number): void {
    const seen = this.#seen.get(name) ?? [];
    seen.push({ event: answeredAt, index, server });
    this.#seen.set(name, seen);
  }

  #expectation(operation: Operation, timeline: Timeline): string {
    const { first, last } = this.#range(operation, timeline, operation.name);
    const shown = [first, last].map((index) => {
      const [state] = timeline.possibleStates(index);
      const { meaning } = operation;
      const hasIndex = state?.schema.attributes.get("t")?.fullTextSearch !== undefined;
      const isAnswerable = meaning.kind === "query" && (hasIndex || !meaning.looksAtText);
      const wanted = state && isAnswerable ? queryText(state, meaning.request) : "";
      return `position ${index}: ${documentsText(state?.documents)}\n${wanted}`;
    });
    return `I1/I8: no state from\n${shown.join("\nto ")}\nexplains it`;
  }

  #fault({ number, call, name, body, answer, sentAt, answeredAt }: Operation, what: string): void {
    const heard = answer === undefined ? "none" : `${answer.status} ${JSON.stringify(answer.json)}`;
    const when = `events ${sentAt} to ${answeredAt}`;
    this.faults.push(
      `request ${number} ${call} ${name} ${body ?? ""} (${when}): ${what}\n${heard}`,
    );
  }
}

/** A changed full-text index is used when all of it is there; until then the old one is. */
function mayUseOldIndex({ meaning, isLast }: Operation): boolean {
  return meaning.kind === "query" && meaning.looksAtText && !isLast;
}

/** A state with the texts' index that the namespace had at any position before, else as it is. */
function withOlderTexts(
  state: NamespaceState | undefined,
  timeline: Timeline,
  index: number,
): NamespaceState[] {
  const texts = state?.schema.attributes.get("t");
  if (state === undefined || texts === undefined) return [];
  const { fullTextSearch: _newest, ...others } = texts;
  const { generation: generationNumber } = timeline.positions[index];
  return timeline.positions.slice(0, index).flatMap((position) => {
    const [older] = position.generation === generationNumber ? position.states : [];
    if (older === undefined) return [];
    const { fullTextSearch } = older.schema.attributes.get("t") ?? {};
    const indexed = fullTextSearch === undefined ? others : { ...others, fullTextSearch };
    const attributes = new Map(state.schema.attributes).set("t", indexed);
    return [{ ...state, schema: { ...state.schema, attributes } }];
  });
}

/** Tells whether an answer that tells of a state may be of an older one. */
function isWeak(meaning: Meaning): boolean {
  switch (meaning.kind) {
    case "query":
      return meaning.isEventual;
    case "cache":
      return true;
    default:
      return false;
  }
}

type Fits = (state: NamespaceState | undefined, operation: Operation) => boolean;

/** Tells whether an answer without effect is that of a state. */
function fitsOf(meaning: Meaning): Fits {
  return (state, { answer }) => {
    if (answer === undefined) return false;
    const { status, json } = answer;
    if (meaning.kind === "write") {
      const hasDrops = meaning.write.drops !== undefined;
      if (hasDrops && state === undefined) return status === 400;
      const { documents, counts } = applyWrite(state, meaning.write);
      const isSame = documentsText(documents) === documentsText(state?.documents);
      return status === 200 && isSame && saysCounts(json, counts);
    }
    // What cannot be opened is deleted once more, whether or not there is still something.
    const mayRepeat = meaning.kind === "delete namespace";
    if (state === undefined) return status === 404 || (mayRepeat && status === 200);
    switch (meaning.kind) {
      case "query": {
        const hasIndex = state.schema.attributes.get("t")?.fullTextSearch !== undefined;
        if (meaning.looksAtText && !hasIndex) return status === 400;
        return status === 200 && canonicalAnswer(json) === queryText(state, meaning.request);
      }
      case "export": {
        const ids = [...state.documents.keys()].map(Number).sort((a, b) => a - b);
        return status === 200 && JSON.stringify(json.ids) === JSON.stringify(ids);
      }
      case "metadata":
        return status === 200 && json.approx_row_count === state.documents.size;
      case "cache":
        return status === 200;
      default:
        return false; // A change that was acknowledged, and did not happen.
    }
  };
}

/** A copy is refused where the destination has documents, or where there is no source. */
function copyFits(isDestination: boolean): Fits {
  return (state, { answer }) => {
    if (!isDestination) return answer?.status === 404 && state === undefined;
    const isFull = (state?.documents.size ?? 0) > 0;
    const isGone = /was deleted while/.test(String(answer?.json.error));
    return answer?.status === 409 && (isFull || isGone);
  };
}

function saysCounts(
  json: Record<string, unknown>,
  { upserted, patched, deleted }: WriteCounts,
): boolean {
  return (
    (json.rows_upserted ?? 0) === upserted &&
    (json.rows_patched ?? 0) === patched &&
    (json.rows_deleted ?? 0) === deleted &&
    json.rows_affected === upserted + patched + deleted
  );
}
