import { stat } from "node:fs/promises";
import { openObjectStore } from "../../../storage/access/open-object-store.ts";
import type { ObjectStore } from "../../../storage/object-store.ts";
import { RetryingObjectStore } from "../../../storage/retrying-object-store.ts";
import type { StoreConfig } from "../../../storage/store-config.ts";
import { SettingFault } from "../../settings/parse-setting.ts";
import { readSettings } from "../../settings/read-settings.ts";
import { storeOfText } from "../../settings/store-settings.ts";
import type { CommandCall, CommandContext } from "../client-command.ts";
import { UsageError } from "../exit-codes.ts";

/** Where backups are. */
export interface BackupPlace {
  /** A directory, or `s3://bucket/prefix`. */
  readonly text: string;
  /** How messages call it. */
  readonly flag: string;
  /** Whether it is made where it is missing; otherwise that is an error. */
  readonly isMade: boolean;
}

/** Opens a directory or bucket of backups. Throws `UsageError` where the command line names none. */
export async function openBackupStore(
  { text, flag, isMade }: BackupPlace,
  { terminal, clock, random }: CommandContext,
  { options }: CommandCall,
): Promise<ObjectStore> {
  const config = configOf({ text, flag }, terminal.environment, options);
  if (config.kind === "directory" && !isMade) {
    const found = await stat(config.root).catch(() => undefined);
    if (found?.isDirectory() !== true) {
      throw new UsageError(`${flag}: ${config.root} is no directory; name one with backups`);
    }
  }
  const { store } = await openObjectStore(config, { clock, random });
  return new RetryingObjectStore({ store, clock, random });
}

function configOf(
  { text, flag }: Pick<BackupPlace, "text" | "flag">,
  environment: CommandContext["terminal"]["environment"],
  options: CommandCall["options"],
): StoreConfig {
  const flags: Record<string, string> = {};
  for (const [name, option] of [
    ["s3-endpoint", "s3Endpoint"],
    ["s3-region", "s3Region"],
    ["s3-path-style", "s3PathStyle"],
  ] as const) {
    const value = options[option];
    if (typeof value === "string") flags[name] = value;
  }
  try {
    return storeOfText(readSettings({ flags, environment }), text, flag);
  } catch (error) {
    throw error instanceof SettingFault ? new UsageError(error.message) : error;
  }
}
