import type { Steps } from "../../base/steps.ts";
import type { ListBlocks } from "../../segment/postings/block-section.ts";
import { PAGE_ORDINALS } from "../../segment/postings/list-layout.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import { SPARSE_INDEX } from "../../segment/sparse/sparse-index.ts";
import type { SparsePostings } from "../../segment/sparse/sparse-lists.ts";
import type { SparseView } from "../../segment/sparse/sparse-section.ts";
import { sumOfLists } from "../documents/bounded-scores.ts";
import type { PostingRange, ScoredDocuments, ScoredList } from "../documents/scored-list.ts";
import type { ScoreOperator, SegmentRun } from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";
import { scoreAll } from "./score-all.ts";

/** The dot product with a sparse vector. */
export interface SparseNode extends ScoreNode {
  readonly kind: "sparse";
  readonly attribute: string;
  readonly entries: readonly (readonly [name: string, weight: number])[];
}

/** Products of sparse vectors. */
export const SPARSE: ScoreOperator<SparseNode> = {
  kind: "sparse",

  needs: (node, run) => [() => lookUp(node, run, (sparse, name) => sparse.postings(name))],

  *run(node, run) {
    return yield* scoreAll(yield* entryLists(node, run, false), run);
  },

  bounds: {
    needs: (node, run) => [() => lookUp(node, run, (sparse, name) => sparse.blocks(name))],
    *bounded(node, run) {
      return sumOfLists(yield* entryLists(node, run, true), true);
    },
  },

  explain: ({ attribute, entries }) => [
    `SparseKNN on ${attribute}: ${entries.map(([name]) => name).join(", ")}`,
  ],
};

/** Looks at what a segment has of each dimension. */
function lookUp(
  { attribute, entries }: SparseNode,
  { view, together }: SegmentRun,
  look: (sparse: SparseView, name: string) => unknown,
): void {
  const sparse = view.index(SPARSE_INDEX, attribute);
  if (sparse !== undefined)
    together(
      entries.map(
        ([name]) =>
          () =>
            look(sparse, name),
      ),
    );
}

/** The postings of the dimensions that a segment has, with their bounds if those are wanted. */
function* entryLists(
  { attribute, entries }: SparseNode,
  { view }: SegmentRun,
  withBlocks: boolean,
): Steps<EntryScores[]> {
  const sparse = view.index(SPARSE_INDEX, attribute);
  const lists: EntryScores[] = [];
  if (sparse === undefined) return lists;
  for (const [name, weight] of entries) {
    const postings = sparse.postings(name);
    const blocks = withBlocks ? sparse.blocks(name) : undefined;
    if (postings !== undefined) lists.push(new EntryScores(postings, blocks, weight));
    yield;
  }
  return lists;
}

/** The greatest absolute value of a float16. */
const FLOAT16_MAX = 65_504;

/** What an entry of a query adds to the scores of a segment's documents. */
class EntryScores implements ScoredList {
  readonly ordinals: OrdinalList;
  readonly blocks: ListBlocks | undefined;
  readonly magnitude: number;
  readonly #postings: SparsePostings;
  readonly #weights: Float16Array;
  /** In the query. */
  readonly #weight: number;

  constructor(postings: SparsePostings, blocks: ListBlocks | undefined, weight: number) {
    this.ordinals = postings.ordinals;
    this.blocks = blocks;
    this.magnitude = FLOAT16_MAX * Math.abs(weight);
    this.#postings = postings;
    this.#weights = postings.weights;
    this.#weight = weight;
  }

  scaled(factor: number): EntryScores {
    return new EntryScores(this.#postings, this.blocks, this.#weight * factor);
  }

  blockBounds({ pairEnds, pairs }: ListBlocks): Float64Array {
    const weights = new Float32Array(pairs.buffer, pairs.byteOffset, pairs.length);
    const weight = this.#weight;
    const bounds = new Float64Array(pairEnds.length);
    let p = 0;
    for (let b = 0; b < bounds.length; b++) {
      let most = 0;
      for (const end = 2 * pairEnds[b]; p < end; p++) {
        const score = weights[p] * weight;
        if (score > most) most = score;
      }
      bounds[b] = most;
    }
    return bounds;
  }

  scoreAt(index: number): number {
    return this.#weights[index] * this.#weight;
  }

  addScores(sums: Float64Array, base: number, { start, end }: PostingRange): void {
    let page = base >>> 16;
    for (let at = start; at < end; ) {
      page = this.ordinals.pageOf(at, page);
      const stop = Math.min(end, this.ordinals.pageEnd(page));
      this.#addRun(sums, page * PAGE_ORDINALS - base, { start: at, end: stop });
      at = stop;
    }
  }

  copyScores(to: ScoredDocuments, base: number, { start, end }: PostingRange): void {
    let page = base >>> 16;
    for (let at = start; at < end; ) {
      page = this.ordinals.pageOf(at, page);
      const stop = Math.min(end, this.ordinals.pageEnd(page));
      this.#copyRun(to, start, page * PAGE_ORDINALS, { start: at, end: stop });
      at = stop;
    }
  }

  /** Adds the scores of postings of the page that begins at `first` in `sums`. */
  #addRun(sums: Float64Array, first: number, { start, end }: PostingRange): void {
    const { lows } = this.ordinals;
    const weights = this.#weights;
    const weight = this.#weight;
    for (let i = start; i < end; i++) sums[first + lows[i]] += weights[i] * weight;
  }

  /** Writes what there is of postings of a page behind that of those from index `from` on. */
  #copyRun(to: ScoredDocuments, from: number, first: number, { start, end }: PostingRange): void {
    const { ordinals, scores } = to;
    const { lows } = this.ordinals;
    const weights = this.#weights;
    const weight = this.#weight;
    for (let i = start; i < end; i++) {
      ordinals[i - from] = first + lows[i];
      scores[i - from] = weights[i] * weight;
    }
  }
}
