import { apiPath } from "../../client/api-client.ts";
import type { ClientCommand } from "./client-command.ts";
import { EXIT } from "./exit-codes.ts";
import { declareQuery, queryBody } from "./query-body.ts";

/** `trawl query <namespace>`: asks for documents and shows them as a table. */
export const queryCommand: ClientCommand = {
  declare: (program) =>
    declareQuery(
      program.command("query").description("search a namespace; without a ranking, by id"),
    ),
  run: async ({ client, output, terminal, signal }, call) => {
    const [namespace = ""] = call.words;
    const answer = await client.send({
      method: "POST",
      path: apiPath("v2", "namespaces", namespace, "query"),
      body: await queryBody(call, terminal),
      headers: { "content-type": "application/json" },
      repeatable: true,
      signal,
    });
    const bytes = await answer.bytes();
    if (output.isJson) {
      output.rawResult(bytes.toString("utf8"), () => "");
      return EXIT.done;
    }
    const { parseJson } = await import("../../wire/json/json-reader.ts");
    const { answerText } = await import("../output/result-text.ts");
    const parsed = parseJson(bytes);
    if (parsed instanceof Map) output.line(answerText(parsed));
    return EXIT.done;
  },
};
