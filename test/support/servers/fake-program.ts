/** The command line with the real `serve` over a fake engine, in a process of its own or in a test. */

import type { Command } from "commander";
import { KeyRing } from "../../../src/access/key-ring.ts";
import { KeyStore } from "../../../src/access/key-store.ts";
import type { Engine } from "../../../src/api/engine.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { processOptions, serve } from "../../../src/cli/serve.ts";
import { readSettings } from "../../../src/cli/settings/read-settings.ts";
import { serverConfig } from "../../../src/cli/settings/server-config.ts";
import { thisMachine } from "../../../src/cli/settings/this-machine.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";

const VERSION = "0.0.0-test";

/** The fake parts that replace those of the real program. */
export interface FakeProgramOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs when the server listens. */
  readonly onListening?: () => void;
}

/** Makes the program; parsing arguments starts the server that they ask for. */
export function fakeProgram(options: FakeProgramOptions): Command {
  const { engine, clock, environment, onListening } = options;
  return createProgram(VERSION, {
    serve: async (flags) => {
      const settings = readSettings({ flags, environment });
      const config = { ...serverConfig(settings, thisMachine()), indexerFlags: undefined };
      await serve(config, {
        ...processOptions(VERSION),
        clock,
        openEngine: async () => engine,
        openKeys: async ({ apiKey: bootstrapKey }, log) => {
          const random = seededRandom(1);
          const store = new KeyStore({ store: new MemoryObjectStore(), random, log });
          const ring = new KeyRing({ store, clock, log, bootstrapKey });
          return { ring, metrics: () => [] };
        },
      });
      onListening?.();
    },
    index: async () => {},
    certify: async () => {},
  });
}
