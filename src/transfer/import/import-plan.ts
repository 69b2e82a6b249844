/** What an import will do with each column: decided from a sample, before anything is written. */

import { similarName } from "../../base/nearest-name.ts";
import { checkAttributeName } from "../../model/attribute-name.ts";
import {
  type AttributeType,
  formatAttributeType,
  type IdType,
  parseAttributeType,
  SCALAR_KINDS,
} from "../../model/attribute-type.ts";
import { embedsTexts } from "./attribute-types.ts";
import { type SampledColumn, type SampledFile, sampleColumns } from "./column-samples.ts";
import { type InferredType, inferType } from "./infer-type.ts";
import { longTextIndex } from "./long-texts.ts";
import { PlanFault } from "./plan-fault.ts";
import type { PlanWords } from "./plan-words.ts";
import type { ValueKind } from "./value-kinds.ts";
import { type InferenceHints, idNotes, storedNotes } from "./value-notes.ts";

/** Characters of a column's name that messages show: the name may be a complete file by mistake. */
const NAME_CHARS_MAX = 100;

/** Characters of a column's name, which may be renamed to one that attributes can have. */
const NAME_CHARS_READ_MAX = 1_000;

/** Says that ids are the numbers of the rows. */
export const ROW_IDS = "@row";

/** What the user asked for, and what the server has. */
export interface PlanOptions {
  readonly idColumn?: string | undefined;
  readonly vectorColumn?: string | undefined;
  /** From columns to attributes; undefined leaves a column out. */
  readonly renames: ReadonlyMap<string, string | undefined>;
  /** Declarations of attributes as the API takes them. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Types of the attributes that the namespace has, its `id` among them; undefined: it is new. */
  readonly existing: ReadonlyMap<string, string> | undefined;
  /** The namespace has attributes whose texts the server embeds. */
  readonly embeds?: boolean;
  /** The namespace has been filled by this import. */
  readonly isResumed: boolean;
  /** How users do what faults ask them for. */
  readonly words: PlanWords;
}

/** One column and what becomes of it. */
export interface PlannedColumn {
  readonly source: string;
  /** Undefined: it is left out. */
  readonly attribute: string | undefined;
  /** Undefined: the server decides. */
  readonly type: AttributeType | undefined;
  readonly origin: "file" | "sample" | "schema" | "namespace";
  readonly notes: readonly string[];
  /** Integers become the nearest float64, as the user or a note says; else they are refused. */
  readonly rounds?: boolean;
  /** Options that are declared with the type. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** See the file's head. */
export interface ImportPlan {
  /** The column of ids; undefined: ids are row numbers, from 1 over all files. */
  readonly idSource: string | undefined;
  readonly idType: IdType;
  /** Notes on the ids for users. */
  readonly idNotes: readonly string[];
  /** All but that of the ids. */
  readonly columns: readonly PlannedColumn[];
  /** What the first write declares. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly hasVectors: boolean;
  /** The server embeds texts of the rows, and takes few of them in one write. */
  readonly embeds: boolean;
}

/** Decides. Throws `PlanFault`, which says what to do. */
export function planImport(files: readonly SampledFile[], options: PlanOptions): ImportPlan {
  const plan = planColumns(sampleColumns(files), options);
  for (const { name, columns } of files) {
    const hasIds = plan.idSource === undefined || columns === undefined;
    if (hasIds || columns.some((column) => column.name === plan.idSource)) continue;
    throw new PlanFault(
      `${name} has no column ${quote(plan.idSource ?? "")}, from which the ids of the other ` +
        "files come: import it by itself",
    );
  }
  return plan;
}

/** The same for columns that were sampled, which may be planned again with other options. */
export function planColumns(
  known: ReadonlyMap<string, SampledColumn>,
  options: PlanOptions,
): ImportPlan {
  checkLengths(known);
  checkNames(known, options);
  checkTypes(options.schema);
  const idSource = pickId(known, options);
  const columns = [...known]
    .filter(([name]) => name !== idSource)
    .map(([name, column]) => planColumn(name, column, options));
  checkAttributes(columns, idSource, options);
  const id = idSource === undefined ? undefined : known.get(idSource);
  const idType = pickIdType(idSource, id, options);
  return {
    idSource,
    idType,
    idNotes:
      id === undefined ? [] : idNotes(id, idType, (type) => options.words.declare("id", type)),
    columns,
    schema: declaredSchema(columns, idType, options),
    hasVectors:
      embedsTexts(options.schema) ||
      columns.some(({ type }) => type?.kind === "vector" || type?.kind === "multi_vector"),
    embeds: options.embeds === true || embedsTexts(options.schema),
  };
}

/** Such a name is no name: the first line is data, or the file is of another format. */
function checkLengths(known: ReadonlyMap<string, unknown>): void {
  const name = [...known.keys()].find(({ length }) => length > NAME_CHARS_READ_MAX);
  if (name === undefined) return;
  throw new PlanFault(
    `column ${quote(name)}: its name has ${name.length} characters, at most ` +
      `${NAME_CHARS_READ_MAX} are read; does the first line name the columns?`,
    name,
  );
}

function checkNames(known: ReadonlyMap<string, unknown>, options: PlanOptions): void {
  const { idColumn, vectorColumn, renames } = options;
  const asked: (readonly [option: string, name: string | undefined])[] = [
    ["--id", idColumn === ROW_IDS ? undefined : idColumn],
    ["--vector", vectorColumn],
    ...[...renames.keys()].map((name) => ["--map", name] as const),
  ];
  for (const [option, name] of asked) {
    if (name === undefined || known.has(name)) continue;
    const names = [...known.keys()];
    const near = similarName(name, names);
    const hint =
      near === undefined ? `; there are ${list(names)}` : `; did you mean ${quote(near)}?`;
    throw new PlanFault(`${option}: there is no column ${quote(name)}${hint}`);
  }
}

/** The server would refuse them with the first batch, and blame its rows. */
function checkTypes(schema: PlanOptions["schema"]): void {
  for (const [attribute, declaration] of Object.entries(schema)) {
    const spelled = spelledName(declaration);
    if (spelled === undefined || spelledType(declaration) !== undefined) continue;
    const path = spelled === declaration ? attribute : `${attribute}.type`;
    const near = typeof spelled === "string" ? similarName(spelled, TYPE_EXAMPLES) : undefined;
    const hint = near === undefined ? "" : `; did you mean ${quote(near)}?`;
    throw new PlanFault(
      `--schema: ${path}: ${JSON.stringify(spelled)} is no type, as ` +
        `${TYPE_EXAMPLES.join(", ")} are${hint}`,
    );
  }
}

/** One of each kind. */
const TYPE_EXAMPLES = [...SCALAR_KINDS, "[]string", "bytes", "[768]f32", "[][128]f32", "{}f16"];

function pickId(
  known: ReadonlyMap<string, SampledColumn>,
  options: PlanOptions,
): string | undefined {
  const { idColumn, existing, isResumed, words } = options;
  if (idColumn === ROW_IDS) return undefined;
  if (idColumn !== undefined) return idColumn;
  const found = ["id", "_id"].find((name) => known.has(name) && !options.renames.has(name));
  if (found !== undefined || existing === undefined || isResumed) return found;
  throw new PlanFault(
    "no column is named id or _id, and the namespace exists: row numbers as ids would replace " +
      `its documents: ${words.nameId} (there are ${list([...known.keys()])}), or ${words.rowIds}`,
  );
}

function planColumn(name: string, column: SampledColumn, options: PlanOptions): PlannedColumn {
  const { renames, existing, schema, vectorColumn } = options;
  const fallback = name === vectorColumn ? "vector" : name;
  const attribute = renames.has(name) ? renames.get(name) : fallback;
  const { note, rounds } = column.declared ?? {};
  const notes = note === undefined ? [] : [note];
  const plan = { source: name, attribute, notes };
  if (attribute === undefined)
    return { ...plan, type: undefined, origin: "file", notes: ["left out"] };
  checkAttribute(name, attribute, options);
  if (column.declared?.fault !== undefined) throw columnFault(name, column.declared, options);
  const given = spelledType(schema[attribute]);
  const spelled = existing?.get(attribute);
  const has = spelled === undefined ? undefined : parseAttributeType(spelled);
  const known = given ?? has;
  if (known !== undefined) {
    const origin = given === undefined ? "namespace" : "schema";
    const stored = [...notes, ...storedNotes(column.sample, known)];
    return {
      ...plan,
      type: known,
      origin,
      rounds: given !== undefined || rounds === true,
      notes: stored,
    };
  }
  const inferred = inferColumn(column, {
    name,
    isVector: attribute === "vector" || name === vectorColumn,
    declare: (type) => options.words.declare(attribute, type),
  });
  if (inferred.fault !== undefined) throw columnFault(name, inferred, options);
  const origin = column.declared?.type === undefined ? "sample" : "file";
  const { index, note: longNote } = longTextIndex(column.sample, inferred.type);
  const all = [...notes, ...(inferred.notes ?? []), ...(longNote === undefined ? [] : [longNote])];
  return {
    ...plan,
    type: inferred.type,
    origin,
    rounds: rounds === true,
    options: index,
    notes: all,
  };
}

function checkAttribute(column: string, attribute: string, { words }: PlanOptions): void {
  try {
    checkAttributeName(attribute);
  } catch (error) {
    const { message } = error as Error;
    throw new PlanFault(`column ${quote(column)}: ${message}; ${words.rename(column)}`, column);
  }
}

/** What the file declares goes before its values, but for what only values tell: dimensions. */
export function inferColumn(
  { sample, declared, isText }: SampledColumn,
  hints: Pick<InferenceHints, "name" | "isVector" | "declare">,
): InferredType {
  const type = declared?.type;
  const inferred = () =>
    inferType(sample, { ...hints, isText, isJson: !isText && type === undefined });
  if (type === undefined) return inferred();
  const isList = type.kind === "array" && type.of === "float";
  if (isList && sample.valueCount > 0) {
    const found = inferred();
    // Floats that all are whole in the sample are floats.
    return found.type?.kind === "array" ? { type } : found;
  }
  const isOpen = type.kind === "multi_vector" && type.dimensions === 0;
  // Decimals without fractions may have more digits than an `int`.
  const { counts } = sample;
  const isLarge =
    type.kind === "scalar" && type.of === "int" && (counts.has("uint") || counts.has("wide"));
  return isOpen || isLarge ? inferred() : { type };
}

function columnFault(
  name: string,
  { fault, isNested }: Pick<InferredType, "fault" | "isNested">,
  { words }: PlanOptions,
): PlanFault {
  const flatten = isNested && words.flatten !== undefined ? `; or ${words.flatten}` : "";
  return new PlanFault(
    `column ${quote(name)}: ${fault}${flatten}; or ${words.leaveOut(name)}`,
    name,
  );
}

function spelledType(declaration: unknown): AttributeType | undefined {
  const spelled = spelledName(declaration);
  return typeof spelled === "string" ? parseAttributeType(spelled) : undefined;
}

/** The type in a declaration, which is its name alone or an object with options. */
function spelledName(declaration: unknown): unknown {
  const isObject = typeof declaration === "object" && declaration !== null;
  return isObject ? (declaration as { type?: unknown }).type : declaration;
}

function checkAttributes(
  columns: readonly PlannedColumn[],
  idSource: string | undefined,
  { words }: PlanOptions,
): void {
  const taken = new Map<string, string>();
  for (const { source, attribute } of columns) {
    if (attribute === undefined) continue;
    if (attribute === "id") {
      const from = idSource === undefined ? "the row numbers" : quote(idSource);
      throw new PlanFault(
        `column ${quote(source)} would be named id, and ids come from ${from}: ` +
          `${words.rename(source)}, or ${words.leaveOut(source)}`,
        source,
      );
    }
    const other = taken.get(attribute);
    if (other !== undefined) {
      throw new PlanFault(
        `columns ${quote(other)} and ${quote(source)} would both be named ${quote(attribute)}: ` +
          words.rename(source),
        source,
      );
    }
    taken.set(attribute, source);
  }
}

function pickIdType(
  source: string | undefined,
  column: SampledColumn | undefined,
  { existing, schema, words }: PlanOptions,
): IdType {
  const given = existing?.get("id") ?? spelledName(schema.id);
  if (given === "uint" || given === "uuid" || given === "string") return given;
  if (source === undefined || column === undefined) return "uint";
  const { counts } = column.sample;
  const declared = column.declared?.type;
  const isUuid = declared?.kind === "scalar" && declared.of === "uuid";
  if (isUuid || (counts.size === 1 && counts.has("uuid"))) return "uuid";
  const count = (...kinds: ValueKind["kind"][]) =>
    kinds.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
  // In ids, integers of more than 15 digits are numbers as others are.
  const integers = count("int", "uint") + column.sample.longIntegers;
  // Of a few among integers the rows are bad, and not the column.
  const fractions = column.isText ? 0 : count("float");
  const others = count("string", "uuid", "datetime", "bool", "float", "wide");
  const isString = others > fractions + column.sample.longIntegers;
  if (fractions > 0 && fractions >= count("int", "uint")) {
    throw new PlanFault(
      `column ${quote(source)} has fractions, and ids are integers from 0 to 2^64 − 1, UUIDs or ` +
        `strings: ${words.nameId}`,
      source,
    );
  }
  return isString || integers === 0 ? "string" : "uint";
}

/** Only what the namespace lacks is declared, so that an import changes nothing that it has. */
function declaredSchema(
  columns: readonly PlannedColumn[],
  idType: IdType,
  { schema, existing }: PlanOptions,
): Record<string, unknown> {
  const declared: Record<string, unknown> = Object.create(null);
  if (existing === undefined && idType !== "uint") declared.id = idType;
  for (const { attribute, type, origin, options } of columns) {
    if (attribute === undefined || type === undefined) continue;
    if (origin !== "file" && origin !== "sample") continue;
    declared[attribute] = {
      type: formatAttributeType(type),
      ...(type.kind === "vector" && { ann: true }),
      ...(type.kind === "multi_vector" && { ann: { late_interaction: true } }),
      ...(type.kind === "sparse" && { sparse_knn: { distance_metric: "dot_product" } }),
      ...options,
    };
  }
  return { ...declared, ...schema };
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 12).map(quote).join(", ");
  if (names.length === 0) return "none";
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

function quote(name: string): string {
  return JSON.stringify(name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name);
}
