import { backupCommand } from "./backups/backup-command.ts";
import { checkpointCommand } from "./backups/checkpoint-command.ts";
import { restoreCommand } from "./backups/restore-command.ts";
import { verifyCommand } from "./backups/verify-command.ts";
import { benchCommand } from "./bench-command.ts";
import { branchCommand } from "./branch-command.ts";
import type { ClientCommand } from "./client-command.ts";
import { copyCommand } from "./copy-command.ts";
import { deleteCommand } from "./delete-command.ts";
import { explainCommand } from "./explain-command.ts";
import { KEYS_COMMANDS } from "./keys-commands.ts";
import { lsCommand } from "./ls-command.ts";
import { mcpCommand } from "./mcp-command.ts";
import { queryCommand } from "./query-command.ts";
import { recallCommand } from "./recall-command.ts";
import { schemaCommand } from "./schema-command.ts";
import { statsCommand } from "./stats-command.ts";
import { exportCommand } from "./transfer/export-command.ts";
import { importCommand } from "./transfer/import-command.ts";
import { migrateCommand } from "./transfer/migrate-command.ts";

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
