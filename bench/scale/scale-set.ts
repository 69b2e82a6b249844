/**
 * What `bench/http-scale.ts` measures: documents, and where they are kept. Sets are the same in
 * every process.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import { vectorBase64 } from "../http-harness.ts";
import { LateTokens } from "../late-tokens.ts";
import { ClusteredVectors, centresOf } from "./clustered-vectors.ts";
import { SparseWeights } from "./sparse-weights.ts";
import { ZipfTexts } from "./zipf-texts.ts";

/** What documents have beside an id, a `tag` and the number of the centre. */
export const KINDS = [
  ...(["vectors", "f16", "uniform", "two-vectors", "texts", "hybrid"] as const),
  ...(["sparse", "late"] as const),
] as const;

/** One of them. */
export type Kind = (typeof KINDS)[number];

/** Tags are below, each on a thousandth of the documents. */
export const TAGS = 1_000;
/** Of documents; queries have others, but words of texts that are there. */
export const DOCUMENT_SEED = 41;
const BODY_BYTES = 8 << 20;

/** A set of documents. */
export interface ScaleSet {
  readonly kind: Kind;
  readonly documents: number;
  /** Of vectors, or how many names sparse ones have in all. */
  readonly dimensions: number;
  /** Where its bodies, its server's data and its figures are. */
  readonly folder: string;
}

/** The name of each server's only namespace. */
export const NAMESPACE = "scale";

/** Files of writes that make the set, in their order; made where they are not there. */
export function bodiesOf(set: ScaleSet): string[] {
  const folder = join(set.folder, "bodies");
  const list = join(folder, "list.json");
  if (!existsSync(list)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(list, JSON.stringify(writeBodies(set, folder)));
  }
  return JSON.parse(readFileSync(list, "utf8"));
}

function writeBodies(set: ScaleSet, folder: string): string[] {
  const files: string[] = [];
  const nextRow = rowsOf(set);
  let rows: string[] = [];
  let bytes = 0;
  for (let id = 0; id < set.documents; id++) {
    const row = nextRow(id);
    rows.push(row);
    bytes += row.length;
    if (bytes < BODY_BYTES && id + 1 < set.documents) continue;
    const file = join(folder, `${files.length}.json`);
    writeFileSync(file, `{${headOf(set)},"upsert_rows":[${rows.join()}]}`);
    files.push(file);
    rows = [];
    bytes = 0;
  }
  return files;
}

/** The rows of a set, which are to be taken in their order. */
function rowsOf(set: ScaleSet): (id: number) => string {
  const { kind, documents, dimensions } = set;
  const random = seededRandom(DOCUMENT_SEED);
  if (kind === "sparse" || kind === "late") {
    const nextField = kind === "sparse" ? sparseFields(set) : lateFields(set);
    return (id) => `{"id":${id},"tag":${random.below(TAGS)},${nextField()}}`;
  }
  const texts = new ZipfTexts(DOCUMENT_SEED);
  const space = { dimensions, centres: centresOf(documents) };
  const vectors = new ClusteredVectors(space, DOCUMENT_SEED);
  const vectorFields = (): string => {
    if (kind === "texts") return "";
    if (kind === "uniform") {
      const vector = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
      return `,"vector":${vectorBase64(vector)}`;
    }
    const { vector, centre } = vectors.next();
    const fields = `,"centre":${centre},"vector":${vectorBase64(vector)}`;
    if (kind !== "two-vectors") return fields;
    return `${fields},"second":${vectorBase64(vectors.next().vector)}`;
  };
  const hasText = kind === "texts" || kind === "hybrid";
  return (id) => {
    const text = hasText ? `,"text":"${texts.nextText()}"` : "";
    return `{"id":${id},"tag":${random.below(TAGS)}${text}${vectorFields()}}`;
  };
}

function sparseFields({ dimensions }: ScaleSet): () => string {
  const weights = new SparseWeights(dimensions, DOCUMENT_SEED);
  return () => `"terms":${JSON.stringify(weights.nextDocument())}`;
}

function lateFields({ dimensions }: ScaleSet): () => string {
  const tokens = new LateTokens(dimensions, DOCUMENT_SEED);
  return () => `"tokens":[${tokens.nextDocument().map(vectorBase64).join()}]`;
}

function headOf({ kind, dimensions }: ScaleSet): string {
  const schema: Record<string, unknown> = {};
  if (kind === "texts" || kind === "hybrid") {
    schema.text = { type: "string", filterable: false, full_text_search: true };
  }
  if (kind === "f16") schema.vector = { type: `[${dimensions}]f16`, ann: true };
  if (kind === "two-vectors") schema.second = { type: `[${dimensions}]f32`, ann: true };
  if (kind === "sparse") schema.terms = { type: "{}f16" };
  if (kind === "late") {
    schema.tokens = { type: `[][${dimensions}]f32`, ann: { late_interaction: true } };
  }
  const hasVectors = kind !== "texts" && kind !== "sparse";
  const head = { schema, ...(hasVectors && { distance_metric: "cosine_distance" }) };
  return JSON.stringify(head).slice(1, -1);
}
