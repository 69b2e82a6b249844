import { countedText, sizeText } from "../../base/amount-text.ts";
import { deleteNamespace, readMetadata } from "../../client/namespaces.ts";
import type { Terminal } from "../output/terminal.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT, UsageError } from "./exit-codes.ts";

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

/** What is asked before something is lost. */
interface Confirmation {
  /** What will be gone, and how much of it. */
  readonly warning: string;
  /** What must be typed. */
  readonly word: string;
  /** Given with `--yes`: deletes without a question. */
  readonly yes: boolean;
}

/**
 * Has the user type `word` on a terminal; true if it was that. Throws `UsageError` where nobody can
 * be asked and `--yes` was not given.
 */
async function confirm({ warning, word, yes }: Confirmation, terminal: Terminal): Promise<boolean> {
  if (yes) return true;
  if (!terminal.inIsTerminal) {
    throw new UsageError(`${warning}; say --yes, since there is no terminal to ask at`);
  }
  terminal.err(`${warning}.\nType ${word} to go on: `);
  return (await firstLine(terminal.input)) === word;
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0].trim();
}
