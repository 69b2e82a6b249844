/** Queries made of a namespace's own documents, of each kind that its schema allows. */

import type { Random } from "../../base/random.ts";
import { type ApiClient, apiPath } from "../../client/api-client.ts";
import type { NamespaceMetadata } from "../../client/namespaces.ts";

/** Documents that are sampled: enough that caches do not hold just these. */
const SAMPLES_MAX = 200;
/** Documents that are read together, at a random place. */
const SAMPLES_PER_PLACE = 20;
/** Places lie before it; offsets of queries may reach no further. */
const OFFSET_MAX = 9_900;
/** Words of a document's text that are searched for. */
const WORDS_PER_QUERY = 3;

/** Queries of one kind. */
export interface SampledQueries {
  /** `ANN on vector`, `BM25 on title`, `by id`. */
  readonly name: string;
  /** Bodies; at least one. */
  readonly bodies: readonly string[];
}

/** What is sampled, and how queries are made of it. */
export interface SampleOptions {
  readonly namespace: string;
  readonly metadata: NamespaceMetadata;
  readonly topK: number;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Reads some documents and makes queries of them: by vector, by words, and by id. */
export async function sampleQueries(
  client: ApiClient,
  options: SampleOptions,
): Promise<SampledQueries[]> {
  const { metadata, topK } = options;
  const vector = attributeWhere(metadata, ({ type }) => /^\[\d+\]/.test(type));
  const text = attributeWhere(
    metadata,
    ({ type, full_text_search }) => type === "string" && full_text_search !== undefined,
  );
  const needed = [vector, text].filter((name) => name !== undefined);
  const documents = needed.length === 0 ? [] : await readSamples(client, needed, options);
  const ranked = (rankBy: unknown) => JSON.stringify({ rank_by: rankBy, top_k: topK });
  const kinds = [
    {
      name: `ANN on ${vector}`,
      bodies: documents.flatMap((row) =>
        vector === undefined || row[vector] === undefined
          ? []
          : [ranked([vector, "ANN", row[vector]])],
      ),
    },
    {
      name: `BM25 on ${text}`,
      bodies: documents.flatMap((row) => {
        const words = text === undefined ? "" : wordsOf(row[text], options.random);
        return words === "" ? [] : [ranked([text, "BM25", words])];
      }),
    },
    { name: "by id", bodies: [ranked(["id", "asc"])] },
  ];
  return kinds.filter(({ bodies }) => bodies.length > 0);
}

interface AttributeJson {
  readonly type: string;
  readonly full_text_search?: unknown;
}

type Sample = Readonly<Record<string, unknown>>;

function attributeWhere(
  { schema }: NamespaceMetadata,
  fits: (attribute: AttributeJson) => boolean,
): string | undefined {
  const attributes = Object.entries(schema as Readonly<Record<string, AttributeJson>>);
  return attributes.find(([, attribute]) => fits(attribute))?.[0];
}

async function readSamples(
  client: ApiClient,
  include_attributes: readonly string[],
  { namespace, metadata, random, signal }: SampleOptions,
): Promise<Sample[]> {
  const places = Math.ceil(SAMPLES_MAX / SAMPLES_PER_PLACE);
  const last = Math.max(0, Math.min(metadata.approx_row_count, OFFSET_MAX) - SAMPLES_PER_PLACE);
  const samples: Sample[] = [];
  for (let place = 0; place < places; place++) {
    const { rows } = await client.json<{ readonly rows: readonly Sample[] }>({
      method: "POST",
      path: apiPath("v2", "namespaces", namespace, "query"),
      json: {
        rank_by: ["id", "asc"],
        limit: SAMPLES_PER_PLACE,
        offset: random.below(last + 1),
        include_attributes,
      },
      repeatable: true,
      signal,
    });
    samples.push(...rows);
    if (last === 0) break;
  }
  return samples;
}

/** Some words of a text, drawn. */
function wordsOf(text: unknown, random: Random): string {
  const words = typeof text === "string" ? text.split(/[^\p{L}\p{N}]+/u).filter(Boolean) : [];
  const drawn = new Set<string>();
  for (let i = 0; i < WORDS_PER_QUERY && words.length > 0; i++) {
    drawn.add(words[random.below(words.length)]);
  }
  return [...drawn].join(" ");
}
