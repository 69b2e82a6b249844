import type { RankedDocument } from "../documents/top-documents.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import type { Findings, FindingsData } from "../operator/division.ts";
import type { Need, PlanOperator, SegmentRun } from "../operator/operator.ts";
import type { DocumentPlan } from "../operator/plan.ts";
import { mergeRankings, rankDocuments } from "../order/rank-documents.ts";
import { projectDocuments } from "./project-documents.ts";

/** The best documents. */
interface RankedFindings extends Findings {
  readonly kind: "documents";
  /** Best first: those that the plan skips and those that it returns. */
  readonly ranked: readonly RankedDocument[];
}

interface RankedData extends FindingsData {
  readonly kind: "documents";
  readonly segments: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly keys: Float64Array;
}

/** Queries for documents: the best are ranked, then what is returned of them is read. */
export const DOCUMENTS_PLAN: PlanOperator<DocumentPlan, RankedFindings, RankedData> = {
  kind: "documents",

  grain: ({ rank }, snapshot, operators) => operators.rank(rank).grain(rank, snapshot),

  *find(plan, execution) {
    return { kind: "documents", ranked: yield* rankDocuments(plan, execution) };
  },

  located: ({ ranked }, part) => ({
    kind: "documents",
    ranked: ranked.map((document) => ({ ...document, segment: part[document.segment].segment })),
  }),

  *merge(plan, parts, execution) {
    const rankings = parts.map(({ ranked }) => ranked);
    return { kind: "documents", ranked: yield* mergeRankings(plan, rankings, execution) };
  },

  *finish(plan, { ranked }, execution) {
    const returned = ranked.slice(plan.offset);
    return { kind: "documents", documents: yield* projectDocuments(plan, returned, execution) };
  },

  encode: ({ ranked }) => ({
    kind: "documents",
    segments: Uint32Array.from(ranked, ({ segment }) => segment),
    ordinals: Uint32Array.from(ranked, ({ ordinal }) => ordinal),
    keys: Float64Array.from(ranked, ({ key }) => key),
  }),

  decode: (_plan, { segments, ordinals, keys }) => ({
    kind: "documents",
    ranked: Array.from(segments, (segment, i) => {
      return { segment, ordinal: ordinals[i], key: keys[i] };
    }),
  }),

  needs: documentNeeds,

  explain: (plan, snapshot, operators) => {
    const { attributes, computed, rank, limit, offset, limitPer } = plan;
    const returned = [...attributes.map(([name]) => name), ...computed.map(([name]) => name)];
    const per =
      limitPer === undefined ? "" : `, at most ${limitPer.limit} per ${limitPer.attributes.join()}`;
    return [
      `Return: ${["id", ...returned].join(", ")}`,
      `Limit: ${limit}, offset ${offset}${per}`,
      ...operators.rank(rank).explain(rank, snapshot, operators),
    ];
  },
};

function documentNeeds(plan: DocumentPlan, run: SegmentRun): Need[] {
  const { view, operators } = run;
  const { rank, limitPer, attributes, computed } = plan;
  const needs: Need[] = [() => void view.ids, ...operators.rank(rank).needs(rank, run)];
  for (const attribute of limitPer?.attributes ?? []) {
    needs.push(...attributeNeeds(attribute, view));
  }
  if (attributes.length > 0) needs.push(() => void view.attributes);
  for (const [name, { kind }] of attributes) {
    // Vectors are columns; other values come with the documents.
    if (kind === "vector") needs.push(() => void view.column(name)?.column);
  }
  for (const [, node] of computed) needs.push(...operators.computed(node).needs(node, run));
  return needs;
}
