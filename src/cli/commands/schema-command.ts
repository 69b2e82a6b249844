import { apiPath } from "../../client/api-client.ts";
import { tableText } from "../output/table-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";

/** An attribute as metadata shows it: its type, and what it was made ready for. */
type AttributeJson = Readonly<Record<string, unknown>> & { readonly type: string };

/** `trawl schema <namespace>`: its attributes, their types and indexes. */
export const schemaCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("schema")
      .description("show a namespace's attributes, their types and indexes")
      .argument("<namespace>", "which one"),
  run: async ({ client, output, signal }, { words: [namespace = ""] }) => {
    const path = apiPath("v2", "namespaces", namespace, "metadata");
    const { schema } = await client.json<{ schema: Readonly<Record<string, AttributeJson>> }>({
      method: "GET",
      path,
      signal,
    });
    output.result(schema, () => schemaText(schema));
    return EXIT.done;
  },
};

function schemaText(schema: Readonly<Record<string, AttributeJson>>): string {
  const columns = [{ title: "ATTRIBUTE" }, { title: "TYPE" }, { title: "INDEXES" }];
  const rows = Object.entries(schema).map(([name, { type, ...rest }]) => [
    name,
    type,
    Object.entries(rest)
      .flatMap(([option, value]) => optionText(option, value))
      .join(", "),
  ]);
  return rows.length === 0 ? "no attributes" : tableText(columns, rows);
}

/** `filterable`, `full_text_search (english, word_v3)`, `ann (cosine_distance)`. */
function optionText(option: string, value: unknown): string[] {
  if (value === null || value === false) return [];
  if (typeof value !== "object") return [option];
  const words = Object.values(value).filter((word) => typeof word === "string");
  return [words.length === 0 ? option : `${option} (${words.join(", ")})`];
}
