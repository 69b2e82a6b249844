/** Whether everybody could reach a server that asks nobody for a key. */

import { existsSync } from "node:fs";
import { isLoopbackName } from "../../http/origin-check.ts";
import { KEY_CHANGES_KEY } from "../../storage/object-keys.ts";
import { openObjectStore } from "../../storage/access/open-object-store.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import { checkReach, type ServerConfig } from "../settings/server-config.ts";
import type { ExamineOptions } from "./examine-store.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** Looks at the settings, and whether the store has keys. */
export async function examineKeys(config: ServerConfig, options: ExamineOptions): Promise<Finding> {
  const { host } = config.http;
  if (config.apiKey !== undefined) return ok("API key", "one is set");
  if (await hasKeys(config.engine.store, options)) return ok("API key", "the store has keys");
  try {
    checkReach(config, false);
  } catch (error) {
    // The settings say what is wrong and, behind it, what to do.
    const [seen, ...cure] = (error as Error).message.split("; ");
    return fault("API key", `${seen}: the server does not start`, cure.join("; "));
  }
  if (isLoopbackName(host)) return ok("API key", "none, and only this machine can reach it");
  return warning("API key", `none, and ${host} can be reached from elsewhere`, "set --api-key");
}

/** A store that cannot be read has none; what is wrong with it is told elsewhere. */
async function hasKeys(config: StoreConfig, options: ExamineOptions): Promise<boolean> {
  if (config.kind === "directory" && !existsSync(config.root)) return false;
  try {
    const { store } = await openObjectStore(config, options);
    return (await store.get(KEY_CHANGES_KEY)) !== undefined;
  } catch {
    return false;
  }
}
