/** Looks at all that a server with these settings needs, and says what is wrong with it. */

import { freemem } from "node:os";
import type { DiskCacheConfig } from "../../storage/disk-cache/disk-cache-store.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import { readSettings, type SettingSources } from "../settings/read-settings.ts";
import { fileUmask, type ServerConfig, serverConfig } from "../settings/server-config.ts";
import { thisMachine } from "../settings/this-machine.ts";
import { examineAddress, serviceTimeMs } from "./examine-address.ts";
import { examineKeys } from "./examine-keys.ts";
import { type ExamineOptions, examineRoom, examineStore } from "./examine-store.ts";
import { examineTls } from "./examine-tls.ts";
import { type Finding, fault, ok } from "./finding.ts";
import { judgeClock, judgeMemory, judgeOpenFiles, judgeVersion } from "./judge-machine.ts";

/** Where a bucket is whose settings name no endpoint. */
const AMAZON_URL = "https://s3.amazonaws.com";

/** What the doctor is given. */
export interface DoctorOptions extends ExamineOptions {
  readonly sources: SettingSources;
  readonly version: string;
}

/** All findings, in the order in which they are best mended. */
export async function runDoctor(options: DoctorOptions): Promise<Finding[]> {
  const { version, clock } = options;
  const machine = thisMachine();
  const first = [judgeVersion(version, process.version), judgeOpenFiles(openFilesMax())];
  let config: ServerConfig;
  try {
    const settings = readSettings(options.sources);
    config = serverConfig(settings, machine);
    process.umask(fileUmask(settings));
  } catch (error) {
    const cure = "correct it; what follows from settings was not looked at";
    const refused = fault("configuration", (error as Error).message, cure);
    return [refused, ...first, judgeClock(clock.nowMs())];
  }
  const { store, diskCache, memoryBytesMax: limitBytes } = config.engine;
  return [
    ok("configuration", "its settings are understood and fit together"),
    ...first,
    judgeMemory({ limitBytes, machineBytes: machine.memoryBytes, freeBytes: freemem() }),
    judgeClock(clock.nowMs(), await bucketTimeMs(store)),
    ...(await examineStore(store, options)),
    ...(await examineCache(diskCache)),
    ...(config.tls === undefined ? [] : [await examineTls(config.tls, clock)]),
    await examineAddress(config.http, options),
    await examineKeys(config, options),
  ];
}

function openFilesMax(): number | undefined {
  const report = process.report?.getReport() as
    | { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
    | undefined;
  const soft = report?.userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : undefined;
}

async function bucketTimeMs(store: StoreConfig): Promise<number | undefined> {
  return store.kind === "s3" ? serviceTimeMs(store.endpoint ?? AMAZON_URL) : undefined;
}

async function examineCache(cache: DiskCacheConfig | undefined): Promise<Finding[]> {
  if (cache === undefined) return [];
  return [await examineRoom("disk cache", cache.directory, cache.bytesMax)];
}
