/** The commands that need the server's code, which is loaded when one of them runs. */

import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { openObjectStore } from "../storage/access/open-object-store.ts";
import { openEngine } from "../threads/main/open-engine.ts";
import { openIndexer } from "../threads/open-indexer.ts";
import { runCertifyCommand } from "./certify/certify-command.ts";
import { processCases } from "./certify/certify-processes.ts";
import { compileSooner } from "./compile-sooner.ts";
import { runIndexCommand } from "./index-command.ts";
import { openKeys } from "./open-keys.ts";
import type { ProgramActions } from "./program.ts";
import { processOptions, serve } from "./serve.ts";
import { readSettings } from "./settings/read-settings.ts";
import {
  fileUmask,
  indexConfig,
  type ServerConfig,
  serverConfig,
} from "./settings/server-config.ts";
import { storeOfText } from "./settings/store-settings.ts";
import { thisMachine } from "./settings/this-machine.ts";

/** What these commands do in this process; `adjust`: see `runProgram`. */
export function serverCommands(
  version: string,
  adjust = (config: ServerConfig): ServerConfig => config,
): ProgramActions {
  return {
    serve: async (flags) => {
      compileSooner();
      const settings = readSettings({ flags, environment: process.env });
      const config = adjust(serverConfig(settings, thisMachine()));
      process.umask(fileUmask(settings));
      await serve(config, { ...processOptions(version), openEngine, openKeys });
    },
    certify: async (store, flags) => {
      const settings = readSettings({ flags, environment: process.env });
      process.umask(fileUmask(settings));
      const code = await runCertifyCommand(storeOfText(settings, store), {
        clock: systemClock,
        random: systemRandom,
        openStore: openObjectStore,
        casesOfProcesses: processCases,
        print: (text) => process.stdout.write(text),
        progress: (text) => process.stderr.write(text),
      });
      process.exit(code);
    },
    index: async (flags) => {
      const settings = readSettings({ flags, environment: process.env });
      process.umask(fileUmask(settings));
      await runIndexCommand(indexConfig(settings, thisMachine()), {
        openIndexer,
        exit: (code) => process.exit(code),
      });
    },
  };
}
