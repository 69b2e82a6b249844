import { countedText } from "../../base/amount-text.ts";
import { apiPath } from "../../client/api-client.ts";
import { branchNamespace } from "../../client/namespaces.ts";
import { runOperation } from "../../client/operations.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";

/** `trawl copy <from> <to>`: a new namespace with the documents that another has now. */
export const copyCommand: ClientCommand = {
  declare: (program) =>
    program
      .command("copy")
      .description("copy a namespace to a new one")
      .argument("<from>", "the namespace that there is")
      .argument("<to>", "the namespace that will be"),
  run: async ({ client, clock, output, progress, signal }, { words: [from = "", to = ""] }) => {
    const answer = await runOperation<{ readonly rows_affected: number }>(
      client,
      {
        method: "POST",
        path: apiPath("v2", "namespaces", to),
        json: { copy_from_namespace: from },
        signal,
      },
      { clock, namespace: to, onProgress: (text) => progress.note(`copying ${from}: ${text}`) },
    );
    const copied = { from, to, documents: answer.rows_affected };
    output.result(copied, () => {
      return `copied ${countedText(answer.rows_affected, "document")} of ${from} to ${to}`;
    });
    return EXIT.done;
  },
};

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
