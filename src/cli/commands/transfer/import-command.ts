import type { ClientCommand, CommandCall, CommandContext } from "../client-command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { declareImport, parseImportOptions } from "./import-options.ts";

/** `trawl import`: rows of files become documents. */
export const importCommand: ClientCommand = {
  declare: declareImport,
  run: async (context: CommandContext, call: CommandCall): Promise<ExitCode> => {
    const options = parseImportOptions(call);
    // The readers of formats are large to load.
    const { ImportSession } = await import("./import-session.ts");
    return new ImportSession(context, options).run();
  },
};
