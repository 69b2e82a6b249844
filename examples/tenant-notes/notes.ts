/**
 * Notes of many tenants: a namespace for each, so that no query of one can find, count or slow down
 * what is another's, and a tenant who leaves is deleted by one request.
 *
 *     node examples/tenant-notes/notes.ts
 */

import Turbopuffer from "@turbopuffer/turbopuffer";

const PREFIX = "example-notes-";

const client = new Turbopuffer({
  baseURL: process.env.TURBOPUFFER_BASE_URL ?? "http://127.0.0.1:8484",
  apiKey: process.env.TURBOPUFFER_API_KEY ?? "unused",
});

/** What one tenant may do. The name comes from the session, never from the request. */
class Notes {
  readonly #namespace: ReturnType<Turbopuffer["namespace"]>;

  constructor(tenant: string) {
    this.#namespace = client.namespace(PREFIX + tenant);
  }

  /** Saves a version of a note, unless a newer one is there: two devices may send at once. */
  async save(note: { id: number; version: number; text: string }): Promise<boolean> {
    const answer = await this.#namespace.write({
      schema: { text: { type: "string", full_text_search: { stemming: true } } },
      upsert_rows: [{ ...note }],
      upsert_condition: ["version", "Lt", { $ref_new: "version" }],
    });
    return answer.rows_affected === 1;
  }

  async search(words: string): Promise<string[]> {
    const { rows = [] } = await this.#namespace.query({
      rank_by: ["text", "BM25", words, { last_as_prefix: true }],
      limit: 10,
      include_attributes: ["text"],
    });
    return rows.map(({ text }) => String(text));
  }

  async leave(): Promise<void> {
    await this.#namespace.deleteAll();
  }
}

async function tenants(): Promise<string[]> {
  const names: string[] = [];
  for await (const { id } of client.namespaces({ prefix: PREFIX })) {
    names.push(id.slice(PREFIX.length));
  }
  return names;
}

const ada = new Notes("ada");
const ben = new Notes("ben");
await ada.save({ id: 1, version: 1, text: "Call the dentist on Monday" });
await ada.save({ id: 2, version: 1, text: "Water the tomatoes" });
await ben.save({ id: 1, version: 1, text: "Dentist: ask for the bill" });

console.log(
  "newer version saved:",
  await ada.save({ id: 1, version: 3, text: "Call the dentist" }),
);
console.log("older version saved:", await ada.save({ id: 1, version: 2, text: "Late" }));
console.log("ada finds:", (await ada.search("dent")).join(" | "));
console.log("ben finds:", (await ben.search("dent")).join(" | "));
console.log("tenants:", (await tenants()).join(", "));
await ada.leave();
console.log("tenants:", (await tenants()).join(", "));
await ben.leave();
