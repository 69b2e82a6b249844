import { countedText, countText, sizeText } from "../../base/amount-text.ts";
import { isClientError } from "../../client/client-error.ts";
import { listNamespaces, type NamespaceMetadata, readMetadata } from "../../client/namespaces.ts";
import { tableText } from "../output/table-text.ts";
import type { ClientCommand, CommandContext } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";

/** Metadata that is asked for at once: hides the time of a round trip, and is no load. */
const REQUESTS_AT_ONCE = 8;

/** `trawl ls [prefix]`: the namespaces, by name. */
export const lsCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("ls")
      .description("list namespaces, with their documents and sizes")
      .argument("[prefix]", "list only names that begin so")
      .option("--names", "print names alone, one a line; does not ask for each one's size"),
  run: async (context, { words: [prefix], options }) => {
    const { client, output, signal } = context;
    const names: string[] = [];
    for await (const name of listNamespaces(client, { prefix, signal })) names.push(name);
    if (options.names === true) {
      output.result({ namespaces: names.map((id) => ({ id })) }, () => names.join("\n"));
      return EXIT.done;
    }
    const listed = await described(context, names);
    const namespaces = listed.map(({ name, metadata }) => ({ id: name, ...metadata }));
    output.result({ namespaces }, () => listText(listed));
    return EXIT.done;
  },
};

interface Listed {
  readonly name: string;
  readonly metadata: NamespaceMetadata;
}

/** The namespaces with their metadata; without those that were deleted meanwhile. */
async function described(
  { client, signal }: CommandContext,
  names: readonly string[],
): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let start = 0; start < names.length; start += REQUESTS_AT_ONCE) {
    const part = names.slice(start, start + REQUESTS_AT_ONCE).map(async (name) => {
      try {
        return [{ name, metadata: await readMetadata(client, name, signal) }];
      } catch (error) {
        if (isClientError(error, 404)) return [];
        throw error;
      }
    });
    listed.push(...(await Promise.all(part)).flat());
  }
  return listed;
}

function listText(listed: readonly Listed[]): string {
  if (listed.length === 0) return "no namespaces";
  const columns = [
    { title: "NAMESPACE" },
    { title: "DOCUMENTS", align: "right" },
    { title: "SIZE", align: "right" },
    { title: "INDEX" },
    { title: "UPDATED" },
  ] as const;
  const rows = listed.map(({ name, metadata }) => [
    name,
    countText(metadata.approx_row_count),
    sizeText(metadata.approx_logical_bytes),
    metadata.index.status,
    metadata.updated_at.slice(0, "2026-01-31T09:30:00".length).replace("T", " "),
  ]);
  return `${tableText(columns, rows)}${countedText(listed.length, "namespace")}`;
}
