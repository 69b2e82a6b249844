/** The program `trawl`. */

import { readFileSync } from "node:fs";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { openObjectStore } from "../storage/open-object-store.ts";
import { openEngine } from "../threads/open-engine.ts";
import { openIndexer } from "../threads/open-indexer.ts";
import { runCertifyCommand } from "./certify-command.ts";
import { runIndexCommand } from "./index-command.ts";
import { createProgram } from "./program.ts";
import { readSettings } from "./read-settings.ts";
import { processOptions, serve, thisMachine } from "./serve.ts";
import { fileUmask, indexConfig, serverConfig } from "./server-config.ts";
import { storeOfText } from "./store-settings.ts";

const manifest = new URL("../../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };

const program = createProgram(version, {
  serve: async (flags) => {
    const settings = readSettings({ flags, environment: process.env });
    const config = serverConfig(settings, thisMachine());
    process.umask(fileUmask(settings));
    await serve(config, { ...processOptions(version), openEngine });
  },
  certify: async (store, flags) => {
    const settings = readSettings({ flags, environment: process.env });
    process.umask(fileUmask(settings));
    const code = await runCertifyCommand(storeOfText(settings, store), {
      clock: systemClock,
      random: systemRandom,
      openStore: openObjectStore,
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
});

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`trawl: ${error.message}\n`);
  // Whatever was opened already must not keep a server alive that never came up.
  process.exit(1);
});
