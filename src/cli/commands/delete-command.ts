import { countedText, sizeText } from "../../base/amount-text.ts";
import { deleteNamespace, readMetadata } from "../../client/namespaces.ts";
import type { ClientCommand } from "./client-command.ts";
import { confirm } from "./confirm.ts";
import { EXIT } from "./exit-codes.ts";

/** `trawl delete <namespace>`: deletes it with all documents, after its name was typed. */
export const deleteCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("delete")
      .description("delete a namespace with all its documents")
      .argument("<namespace>", "which one")
      .option("--yes", "do not ask"),
  run: async ({ client, output, terminal, signal }, { words, options }) => {
    const [namespace = ""] = words;
    const metadata = await readMetadata(client, namespace, signal);
    const { approx_row_count: count, approx_logical_bytes: bytes } = metadata;
    const lost = `${countedText(count, "document")} (${sizeText(bytes)})`;
    const warning = `this deletes ${namespace} with ${lost} from ${client.url}`;
    const yes = options.yes === true;
    if (!(await confirm({ warning, word: namespace, yes }, terminal))) {
      terminal.err("trawl delete: another name was typed; nothing was deleted\n");
      return EXIT.failed;
    }
    await deleteNamespace(client, namespace, signal);
    const deleted = { id: namespace, documents: count };
    output.result(deleted, () => `deleted ${namespace} with ${lost}`);
    return EXIT.done;
  },
};
