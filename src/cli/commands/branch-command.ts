import { branchNamespace } from "../../client/namespaces.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";

/** `trawl branch <from> <to>`: a new namespace that begins as another is, at once. */
export const branchCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("branch")
      .description("branch a namespace: the new one shares what is stored, so it takes no time")
      .argument("<from>", "the namespace that there is")
      .argument("<to>", "the namespace that will be"),
  run: async ({ client, output, signal }, { words: [from = "", to = ""] }) => {
    await branchNamespace(client, { from, to, signal });
    output.result({ from, to }, () => `${to} is a branch of ${from}`);
    return EXIT.done;
  },
};
