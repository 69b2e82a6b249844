import { backupCommand } from "./commands/backups/backup-command.ts";
import { checkpointCommand } from "./commands/backups/checkpoint-command.ts";
import { restoreCommand } from "./commands/backups/restore-command.ts";
import { verifyCommand } from "./commands/backups/verify-command.ts";
import { benchCommand } from "./commands/bench-command.ts";
import type { ClientCommand } from "./commands/client-command.ts";
import { branchCommand, copyCommand } from "./commands/copy-command.ts";
import { deleteCommand } from "./commands/delete-command.ts";
import { explainCommand } from "./commands/explain-command.ts";
import { KEYS_COMMANDS } from "./commands/keys-commands.ts";
import { lsCommand } from "./commands/ls-command.ts";
import { mcpCommand } from "./commands/mcp-command.ts";
import { queryCommand } from "./commands/query-command.ts";
import { recallCommand } from "./commands/recall-command.ts";
import { schemaCommand } from "./commands/schema-command.ts";
import { statsCommand } from "./commands/stats-command.ts";
import { exportCommand } from "./commands/transfer/export-command.ts";
import { importCommand } from "./commands/transfer/import-command.ts";
import { migrateCommand } from "./commands/transfer/migrate-command.ts";

/** All commands that speak to a server, in the order of the help. */
export const CLIENT_COMMANDS: readonly ClientCommand[] = [
  lsCommand,
  statsCommand,
  schemaCommand,
  queryCommand,
  explainCommand,
  recallCommand,
  benchCommand,
  exportCommand,
  importCommand,
  migrateCommand,
  copyCommand,
  branchCommand,
  deleteCommand,
  backupCommand,
  restoreCommand,
  verifyCommand,
  checkpointCommand,
  ...KEYS_COMMANDS,
  mcpCommand,
];
