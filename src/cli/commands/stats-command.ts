import { countText, sizeText } from "../../base/amount-text.ts";
import { type NamespaceMetadata, readMetadata } from "../../client/namespaces.ts";
import { pairsText } from "../output/table-text.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";

/** `trawl stats <namespace>`: size, age and state of one namespace. */
export const statsCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("stats")
      .description("show a namespace's size, times, index and attributes")
      .argument("<namespace>", "its name"),
  run: async ({ client, output, signal }, { words: [namespace = ""] }) => {
    const metadata = await readMetadata(client, namespace, signal);
    output.result({ id: namespace, ...metadata }, () => statsText(namespace, metadata));
    return EXIT.done;
  },
};

function statsText(namespace: string, metadata: NamespaceMetadata): string {
  const { index, encryption, branching } = metadata;
  const attributes = Object.keys(metadata.schema).filter((name) => name !== "id");
  return pairsText([
    ["namespace", namespace],
    ["documents", countText(metadata.approx_row_count)],
    ["size", sizeText(metadata.approx_logical_bytes)],
    ["created", metadata.created_at],
    ["updated", metadata.updated_at],
    ["index", `${index.status}, ${countText(index.unindexed_rows)} documents in the log`],
    ["encryption", encryption.key_name ?? encryption.mode],
    ...(branching === undefined ? [] : [["branch of", branching.parent] as const]),
    [
      "attributes",
      `${attributes.length}${attributes.length > 0 ? `: ${attributes.join(", ")}` : ""}`,
    ],
  ]);
}
