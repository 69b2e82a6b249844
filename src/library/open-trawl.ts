/** `import { openTrawl } from "trawl"`: the engine in a program's own process, without a port. */

import { mkdir } from "node:fs/promises";
import { errorAnswer } from "../api/error-answer.ts";
import { MIB } from "../base/byte-sizes.ts";
import { systemClock } from "../base/clock.ts";
import { nodeVersionFault } from "../base/node-version.ts";
import { LineBuffer } from "../cli/line-buffer.ts";
import { createLog } from "../cli/log.ts";
import { SettingFault } from "../cli/settings/parse-setting.ts";
import { type Machine, type ServerConfig, serverConfig } from "../cli/settings/server-config.ts";
import { thisMachine } from "../cli/this-machine.ts";
import { openEngine } from "../threads/open-engine.ts";
import { errorOf } from "./answer-error.ts";
import { inOptionNames, librarySettings } from "./library-settings.ts";
import { OpenLibrary } from "./open-library.ts";
import type { Trawl } from "./trawl.ts";
import { TrawlError } from "./trawl-error.ts";
import type { TrawlOptions } from "./trawl-options.ts";

export type {
  MetadataAnswer,
  MultiQueryAnswer,
  QueryAnswer,
  QueryBilling,
  QueryPerformance,
  QueryResult,
  RecallAnswer,
  SchemaAnswer,
  StatusAnswer,
  WriteAnswer,
} from "./answers.ts";
export type { Columns, DocumentId, FoundRow, FoundRowOf, Row, RowOf } from "./document-types.ts";
export type { Filter, FilterOf } from "./filter-types.ts";
export type {
  ExplainParameters,
  MultiQueryParameters,
  NamespacesParameters,
  QueryParameters,
  RecallParameters,
  SubqueryParameters,
} from "./query-parameters.ts";
export type { RankBy, RankByOf } from "./rank-types.ts";
export type { CallOptions, Namespace, NamespaceList, NamespacePage, Trawl } from "./trawl.ts";
export { TrawlError } from "./trawl-error.ts";
export type { TrawlOptions } from "./trawl-options.ts";
export type {
  CopySource,
  DistanceMetric,
  MetadataParameters,
  Schema,
  WriteParameters,
} from "./write-parameters.ts";

/** Share of the machine's memory that is planned with unless told: the program has its own needs. */
const MEMORY_SHARE = 0.25;
/** Least memory that can be planned with. */
const MEMORY_BYTES_MIN = 256 * MIB;

/**
 * Opens the database. Rejects with a `TrawlError`: 400 for options, 409 where another process, or
 * an open one of this process, holds the directory. The process stays alive until it is closed.
 */
export async function openTrawl(options: TrawlOptions = {}): Promise<Trawl> {
  const nodeFault = nodeVersionFault(process.version);
  if (nodeFault !== undefined) throw new TrawlError(nodeFault, { status: 400 });
  const config = configOf(options);
  const { store } = config.engine;
  if (store.kind === "directory") {
    // Where this fails, the store says why.
    await mkdir(store.root, { recursive: true, mode: 0o700 }).catch(() => {});
  }
  const lines = new LineBuffer((text) => process.stderr.write(text));
  const log = createLog(config.log, {
    isTerminal: process.stderr.isTTY === true,
    write: (line) => lines.write(line),
  });
  const library = new OpenLibrary({
    config,
    clock: systemClock,
    log,
    flushLog: () => lines.flush(),
    onCrash: options.onCrash ?? (() => {}),
  });
  try {
    await library.open(openEngine);
  } catch (error) {
    throw errorOf(errorAnswer(error), error);
  }
  return library;
}

function configOf(options: TrawlOptions): ServerConfig {
  try {
    return serverConfig(librarySettings({ ...options }), libraryMachine());
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    throw new TrawlError(inOptionNames(error.message), { status: 400, cause: error });
  }
}

/** What a library takes of the machine unless told. */
function libraryMachine(): Machine {
  const machine = thisMachine();
  const share = Math.floor(machine.memoryBytes * MEMORY_SHARE);
  return { ...machine, memoryBytes: Math.max(MEMORY_BYTES_MIN, share) };
}
