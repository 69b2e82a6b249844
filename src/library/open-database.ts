/** Opens a database in a program's own process: options, directory, log, then the threads. */

import { mkdir } from "node:fs/promises";
import { systemClock } from "../base/clock.ts";
import { LineBuffer } from "../cli/line-buffer.ts";
import { createLog } from "../cli/log.ts";
import { MEMORY_LIMIT_MIN } from "../cli/settings/default-memory-limit.ts";
import { SettingFault } from "../cli/settings/parse-setting.ts";
import { type Machine, type ServerConfig, serverConfig } from "../cli/settings/server-config.ts";
import { thisMachine } from "../cli/settings/this-machine.ts";
import { openEngine } from "../threads/main/open-engine.ts";
import { openingError } from "./answer-error.ts";
import { inOptionNames, librarySettings } from "./library-settings.ts";
import { OpenLibrary } from "./open-library.ts";
import type { Trawl } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";
import type { TrawlOptions } from "./trawl-options.ts";

/** Default share of the machine's memory; the rest is for the program itself. */
const MEMORY_SHARE = 0.25;

/**
 * See `openTrawl`, which has checked the version of Node. `adjust` changes the configuration; for
 * tests.
 */
export async function openDatabase(
  options: TrawlOptions,
  adjust = (config: ServerConfig): ServerConfig => config,
): Promise<Trawl> {
  const config = adjust(configOf(options));
  const { store } = config.engine;
  if (store.kind === "directory") {
    // If this fails, the store reports the reason.
    await mkdir(store.root, { recursive: true, mode: 0o700 }).catch(() => {});
  }
  const lines = new LineBuffer((text) => process.stderr.write(text));
  const log = createLog(config.log, {
    isTerminal: process.stderr.isTTY === true,
    write: (line) => lines.write(line),
  });
  const flushLog = () => lines.flush();
  const { onCrash = () => {} } = options;
  try {
    const opening = { config, clock: systemClock, log, flushLog, onCrash };
    return await OpenLibrary.open(opening, openEngine);
  } catch (error) {
    throw openingError(error);
  }
}

function configOf(options: TrawlOptions): ServerConfig {
  try {
    return serverConfig(librarySettings({ ...options }), libraryMachine());
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    throw new TrawlError(inOptionNames(error.message), { status: 400, cause: error });
  }
}

/** The machine as the defaults see it: with the library's share of the memory. */
function libraryMachine(): Machine {
  const machine = thisMachine();
  const share = Math.floor(machine.memoryBytes * MEMORY_SHARE);
  return { ...machine, memoryLimitBytes: Math.max(MEMORY_LIMIT_MIN, share) };
}
