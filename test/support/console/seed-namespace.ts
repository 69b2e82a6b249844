/** Writes documents for tests of the console, as any client would. */

import { callJson } from "../servers/server-process.ts";

/** Writes to a namespace; throws what the server says where it refuses. */
export async function seedNamespace(url: string, namespace: string, body: unknown): Promise<void> {
  const answer = await callJson(url, "POST", `/v2/namespaces/${namespace}`, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/** Some books, enough for several pages, with what columns and facets are made of. */
export function books(count: number): Readonly<Record<string, unknown>> {
  const genres = ["fable", "novel", "poem"];
  const rows = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    title: `Book ${i + 1}`,
    genre: genres[i % 3],
    tags: i % 2 === 0 ? ["sea", "ice"] : ["sea"],
    // Some without, and many of the same.
    ...(i % 10 !== 9 && { year: 1990 + (i % 20) }),
    vector: [Math.sin(i), Math.cos(i), (i % 7) / 7, 0.5],
  }));
  return {
    upsert_rows: rows,
    distance_metric: "cosine_distance",
    schema: { title: { type: "string", full_text_search: true } },
  };
}
