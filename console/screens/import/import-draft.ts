/** What the user has corrected of the plan of an import, and what planning makes of it. */

import { formatAttributeType, parseAttributeType } from "../../../src/model/attribute-type.ts";
import type { SampledColumn } from "../../../src/transfer/import/column-samples.ts";
import {
  type ImportPlan,
  inferColumn,
  type PlanOptions,
  planColumns,
  ROW_IDS,
} from "../../../src/transfer/import/import-plan.ts";
import { longTextIndex } from "../../../src/transfer/import/long-texts.ts";
import { PlanFault } from "../../../src/transfer/import/plan-fault.ts";
import { PAGE_WORDS } from "./page-words.ts";

/** Corrections of one column; what is absent is as it was found. */
export interface ColumnDraft {
  readonly attribute?: string;
  readonly isLeftOut?: boolean;
  readonly type?: string;
  readonly isFullText?: boolean;
  readonly isFilterable?: boolean;
  readonly isByMeaning?: boolean;
}

/** See the file's head. */
export interface ImportDraft {
  /** A column, or `@row`; absent: as it is found. */
  readonly idColumn?: string;
  readonly columns: Readonly<Record<string, ColumnDraft>>;
}

/** A column as the screen shows it. */
export interface PlannedColumnView {
  readonly source: string;
  /** Undefined: it is left out. */
  readonly attribute: string | undefined;
  /** Undefined: the server decides by the first value. */
  readonly type: string | undefined;
  /** What it may be instead, the type that it has among them. */
  readonly types: readonly string[];
  /** The namespace has it already, so it stays as it is there. */
  readonly isFixed: boolean;
  /** Indexes of the column unless the user corrects them. Texts may be too long for filters. */
  readonly usual: UsualIndex;
  readonly isFullText: boolean;
  readonly isFilterable: boolean;
  /** The server embeds its texts. */
  readonly isByMeaning: boolean;
  readonly notes: readonly string[];
  readonly fault: string | undefined;
}

/** Indexes of a column. */
export interface UsualIndex {
  readonly isFullText: boolean;
  readonly isFilterable: boolean;
}

/** What became of a draft. */
export interface PlannedImport {
  /** Undefined where there is a fault. */
  readonly plan: ImportPlan | undefined;
  /** What is wrong with no single column. */
  readonly fault: string | undefined;
  readonly columns: readonly PlannedColumnView[];
  /** Columns that may have the ids. */
  readonly sources: readonly string[];
  /** The column of the ids; `@row`: the rows' numbers. */
  readonly idColumn: string;
  readonly idType: string | undefined;
}

/** What is known beside the draft. */
export interface DraftContext {
  readonly sampled: ReadonlyMap<string, SampledColumn>;
  /** Types of the attributes of the namespace; undefined: it is new. */
  readonly existing: ReadonlyMap<string, string> | undefined;
  /** The namespace has attributes whose texts the server embeds. */
  readonly embeds: boolean;
  /** The namespace has been filled by this import. */
  readonly isResumed: boolean;
}

/** The model that every server has, without a setting. */
export const MEANING_MODEL = "trawl/static-en";

/** What may be chosen for any column. */
const PLAIN_TYPES = [
  ...["string", "int", "uint", "float", "bool", "datetime", "uuid"],
  ...["[]string", "[]int", "[]float", "[]bool"],
];

/**
 * The first draft: what cannot be imported is left out, with the reason beside it, so that the rest
 * can be. Faults that users have made by their corrections stay faults.
 */
export function firstDraft(context: DraftContext): ImportDraft {
  let draft: ImportDraft = { columns: {} };
  for (const _ of context.sampled) {
    const { fault } = tryPlan(draft, context);
    const column = fault?.column;
    if (column === undefined || draft.columns[column] !== undefined) break;
    // Without its column of ids an import is another one: that is for the user to say.
    if (column === likelyId(context.sampled)) break;
    draft = { columns: { ...draft.columns, [column]: { isLeftOut: true } } };
  }
  return draft;
}

/** Plans a draft; never throws. */
export function planDraft(draft: ImportDraft, context: DraftContext): PlannedImport {
  const { plan, fault } = tryPlan(draft, context);
  const sources = [...context.sampled.keys()];
  const id = draft.idColumn ?? plan?.idSource ?? likelyId(context.sampled) ?? ROW_IDS;
  return {
    plan,
    fault: fault !== undefined && !isShown(fault, id, sources) ? fault.message : undefined,
    columns: sources
      .filter((source) => source !== id)
      .map((source) => columnView(source, { draft, context, plan, fault })),
    sources,
    idColumn: id,
    idType: plan?.idType,
  };
}

/** Whether a fault is shown beside its column, and so needs no other place. */
function isShown(fault: PlanFault, id: string, sources: readonly string[]): boolean {
  return fault.column !== undefined && fault.column !== id && sources.includes(fault.column);
}

function tryPlan(
  draft: ImportDraft,
  context: DraftContext,
): { readonly plan?: ImportPlan; readonly fault?: PlanFault } {
  try {
    return { plan: planColumns(context.sampled, optionsOf(draft, context)) };
  } catch (error) {
    if (error instanceof PlanFault) return { fault: error };
    throw error;
  }
}

function optionsOf(
  draft: ImportDraft,
  { existing, embeds, isResumed, sampled }: DraftContext,
): PlanOptions {
  const renames = new Map<string, string | undefined>();
  const schema: Record<string, unknown> = Object.create(null);
  for (const [source, column] of Object.entries(draft.columns)) {
    const { attribute = source, isLeftOut = false } = column;
    if (isLeftOut) renames.set(source, undefined);
    else if (attribute !== source) renames.set(source, attribute);
    const { isFullText, isFilterable, isByMeaning } = column;
    const isCorrected = column.type ?? isFullText ?? isFilterable ?? isByMeaning;
    if (isLeftOut || isCorrected === undefined || existing?.has(attribute)) continue;
    const type = column.type ?? foundType(source, sampled, attribute === "vector");
    if (type === undefined) continue;
    schema[attribute] = declarationOf(type, {
      ...column,
      ...indexOf(column, usualIndex(source, type, sampled)),
    });
  }
  const { idColumn } = draft;
  if (idColumn !== undefined) renames.delete(idColumn);
  return { idColumn, renames, schema, existing, embeds, isResumed, words: PAGE_WORDS };
}

/** What the API takes for an attribute of this type; options that are as usual are left out. */
function declarationOf(type: string, column: ColumnDraft): Record<string, unknown> {
  const isText = column.isFullText === true && isTextType(type);
  const { isFilterable = !isText } = column;
  return {
    type,
    ...(isText && { full_text_search: true }),
    ...(column.isByMeaning === true && type === "string" && { embed: MEANING_MODEL }),
    ...(!isVectorType(type) && isFilterable === isText && { filterable: isFilterable }),
    ...(/^\[\d+\]f/.test(type) && { ann: true }),
    ...(/^\[\]\[\d+\]f/.test(type) && { ann: { late_interaction: true } }),
    ...(type === "{}f16" && { sparse_knn: { distance_metric: "dot_product" } }),
  };
}

/** A column as it was planned, with what was corrected since: typing goes before planning. */
export function withCorrection(
  column: PlannedColumnView,
  corrected: ColumnDraft = {},
): PlannedColumnView {
  const { isLeftOut = false, isByMeaning = false } = corrected;
  return {
    ...column,
    attribute: isLeftOut ? undefined : (corrected.attribute ?? column.source),
    type: column.isFixed ? column.type : (corrected.type ?? column.type),
    ...indexOf(corrected, column.usual),
    isByMeaning,
  };
}

/** Indexes of a column with its corrections; full text has filters only if they are chosen. */
function indexOf(corrected: ColumnDraft, usual: UsualIndex): UsualIndex {
  const { isFullText = usual.isFullText } = corrected;
  const { isFilterable = usual.isFilterable && !isFullText } = corrected;
  return { isFullText, isFilterable };
}

function columnView(
  source: string,
  planned: {
    readonly draft: ImportDraft;
    readonly context: DraftContext;
    readonly plan: ImportPlan | undefined;
    readonly fault: PlanFault | undefined;
  },
): PlannedColumnView {
  const { draft, context, plan, fault } = planned;
  const corrected = draft.columns[source] ?? {};
  const { isLeftOut = false } = corrected;
  const attribute = isLeftOut ? undefined : (corrected.attribute ?? source);
  const has = attribute === undefined ? undefined : context.existing?.get(attribute);
  const type = has ?? corrected.type ?? foundType(source, context.sampled, attribute === "vector");
  const column = plan?.columns.find((each) => each.source === source);
  const reason = isLeftOut ? leftOutReason(source, context) : undefined;
  const isAtFault = fault?.column === source;
  const found = {
    source,
    attribute,
    type,
    types: typesOf(source, type, context),
    isFixed: has !== undefined,
    usual: usualIndex(source, type, context.sampled),
    isFullText: false,
    isFilterable: true,
    isByMeaning: false,
    notes: [...(column?.notes ?? []), ...(reason === undefined ? [] : [reason])],
    fault: isAtFault ? fault.message : undefined,
  };
  return withCorrection(found, corrected);
}

/** Indexes that a plan declares by default. */
function usualIndex(
  source: string,
  type: string | undefined,
  sampled: ReadonlyMap<string, SampledColumn>,
): UsualIndex {
  const parsed = type === undefined ? undefined : parseAttributeType(type);
  const sample = sampled.get(source)?.sample;
  const { index = {} } = sample === undefined ? {} : longTextIndex(sample, parsed);
  const isFullText = index.full_text_search === true;
  return { isFullText, isFilterable: !isFullText && index.filterable !== false };
}

/** Why a column could not be imported, if that is so. */
function leftOutReason(source: string, { sampled }: DraftContext): string | undefined {
  const column = sampled.get(source);
  if (column === undefined) return undefined;
  return column.declared?.fault ?? inferColumn(column, hintsOf(source, false)).fault;
}

function hintsOf(name: string, isVector: boolean) {
  return { name, isVector, declare: (type: string) => PAGE_WORDS.declare(name, type) };
}

function foundType(
  source: string,
  sampled: ReadonlyMap<string, SampledColumn>,
  isVector: boolean,
): string | undefined {
  const column = sampled.get(source);
  if (column === undefined || column.declared?.fault !== undefined) return undefined;
  const { type } = inferColumn(column, hintsOf(source, isVector));
  return type === undefined ? undefined : formatAttributeType(type);
}

function typesOf(source: string, type: string | undefined, context: DraftContext): string[] {
  const found = foundType(source, context.sampled, false);
  const vector = foundType(source, context.sampled, true);
  const all = [type, found, vector, ...PLAIN_TYPES].filter((each) => each !== undefined);
  return [...new Set(all)];
}

function likelyId(sampled: ReadonlyMap<string, unknown>): string | undefined {
  return ["id", "_id"].find((name) => sampled.has(name));
}

/** Whether texts of this type can be searched by words. */
export function isTextType(type: string): boolean {
  return type === "string" || type === "[]string";
}

/** Whether values of this type are vectors, which have no filters. */
export function isVectorType(type: string): boolean {
  return /f(?:16|32)$/.test(type);
}
