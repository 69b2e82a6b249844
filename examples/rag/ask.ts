/**
 * Retrieval-augmented generation: finds the passages of a handbook that bear on a question, and has
 * a language model answer from them alone. Without one (`CHAT_URL`), it prints the passages.
 *
 *     node examples/rag/ask.ts "Why is the grinder so noisy?"
 */

import { readFileSync } from "node:fs";
import Turbopuffer from "@turbopuffer/turbopuffer";

/** The server makes the vectors; see docs/embedding.md for what its models are. */
const MODEL = "trawl/static-en";
const PASSAGES = 2;

interface Passage {
  readonly id: string;
  readonly page: string;
  readonly text: string;
}

const client = new Turbopuffer({
  baseURL: process.env.TURBOPUFFER_BASE_URL ?? "http://127.0.0.1:8484",
  apiKey: process.env.TURBOPUFFER_API_KEY ?? "unused",
});
const handbook = client.namespace("example-handbook");

/** Writes the handbook; ids make it safe to do so again. */
async function load(): Promise<void> {
  const file = new URL("handbook.json", import.meta.url);
  const passages = JSON.parse(readFileSync(file, "utf8")) as Passage[];
  await handbook.write({
    distance_metric: "cosine_distance",
    schema: {
      text: { type: "string", full_text_search: { stemming: true }, embed: { model: MODEL } },
    },
    upsert_rows: passages.map((passage) => ({ ...passage })),
  });
}

/** What is near in meaning and what has the words, fused by rank. */
async function retrieve(question: string): Promise<Passage[]> {
  const shared = { limit: 20, include_attributes: ["page", "text"] };
  const { results } = await handbook.multiQuery({
    queries: [
      { rank_by: ["text", "ANN", ["Embed", question]], ...shared },
      { rank_by: ["text", "BM25", question], ...shared },
    ],
    rerank_by: ["RRF"],
  });
  const [{ rows = [] }] = results;
  const found = rows.slice(0, PASSAGES);
  return found.map(({ id, page, text }) => ({
    id: String(id),
    page: String(page),
    text: String(text),
  }));
}

function promptOf(question: string, passages: readonly Passage[]): string {
  const sources = passages.map(({ id, page, text }) => `[${id}] ${page}: ${text}`).join("\n");
  const rule = "Answer from these sources alone, and name the ids that you used.";
  return `${rule}\n\n${sources}\n\n${question}`;
}

/** Asks any service with OpenAI's `/chat/completions`. */
async function complete(url: string, prompt: string): Promise<string> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${process.env.CHAT_API_KEY ?? ""}`,
    },
    body: JSON.stringify({
      model: process.env.CHAT_MODEL ?? "default",
      messages: [{ role: "user", content: prompt }],
    }),
  });
  if (!response.ok) throw new Error(`the chat service answered ${response.status}`);
  const answer = (await response.json()) as { choices: { message: { content: string } }[] };
  return answer.choices[0].message.content;
}

const question = process.argv[2] ?? "Why is the grinder so noisy?";
await load();
const passages = await retrieve(question);
const chatUrl = process.env.CHAT_URL;
if (chatUrl !== undefined) console.log(await complete(chatUrl, promptOf(question, passages)));
else for (const { id, text } of passages) console.log(`[${id}] ${text}`);
