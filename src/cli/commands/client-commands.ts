import type { ClientCommand } from "./client-command.ts";
import { lsCommand } from "./ls-command.ts";
import { statsCommand } from "./stats-command.ts";

/** All commands that speak to a server, in the order of the help. */
export const CLIENT_COMMANDS: readonly ClientCommand[] = [lsCommand, statsCommand];
