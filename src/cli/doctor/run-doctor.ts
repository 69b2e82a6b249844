/** Looks at all that a server with these settings needs, and says what is wrong with it. */

import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { freemem } from "node:os";
import { type Clock, formatTime } from "../../base/clock.ts";
import { TlsFiles, type TlsPaths } from "../../http/connections/tls-files.ts";
import { isLoopbackName } from "../../http/origin-check.ts";
import { openObjectStore } from "../../storage/access/open-object-store.ts";
import type { DiskCacheConfig } from "../../storage/disk-cache/disk-cache-store.ts";
import { KEY_CHANGES_KEY } from "../../storage/object-keys.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import { readSettings, type SettingSources } from "../settings/read-settings.ts";
import {
  checkReach,
  fileUmask,
  type ServerConfig,
  serverConfig,
} from "../settings/server-config.ts";
import { thisMachine } from "../settings/this-machine.ts";
import { examineAddress, serviceTimeMs } from "./examine-address.ts";
import { type ExamineOptions, examineRoom, examineStore } from "./examine-store.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
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

/** A certificate that ends sooner should be renewed by now. */
const VALID_MS_ADVISED = 14 * 24 * 3_600_000;

/** Checks the pair as a server does at its start. */
async function examineTls(paths: TlsPaths, clock: Clock): Promise<Finding> {
  let certificate: X509Certificate;
  try {
    const { pair } = await TlsFiles.open(paths);
    certificate = new X509Certificate(pair.cert);
  } catch (error) {
    const cure = "give --tls-cert and --tls-key the files of one pair, in PEM";
    return fault("TLS", (error as Error).message, cure);
  }
  const [startMs, endMs] = [certificate.validFrom, certificate.validTo].map(Date.parse);
  const nowMs = clock.nowMs();
  const names = certificate.subjectAltName ?? certificate.subject;
  const seen = `a certificate for ${names} until ${formatTime(endMs)}`;
  if (nowMs < startMs) return fault("TLS", `${seen}, not valid yet`, "check the clock");
  if (nowMs >= endMs) return fault("TLS", `${seen}, which has expired`, "renew it");
  return endMs - nowMs < VALID_MS_ADVISED ? warning("TLS", seen, "renew it soon") : ok("TLS", seen);
}

/** Looks at the settings, and whether the store has keys. */
async function examineKeys(config: ServerConfig, options: ExamineOptions): Promise<Finding> {
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

/** A store that cannot be read has none; another check reports what is wrong with it. */
async function hasKeys(config: StoreConfig, options: ExamineOptions): Promise<boolean> {
  if (config.kind === "directory" && !existsSync(config.root)) return false;
  try {
    const { store } = await openObjectStore(config, options);
    return (await store.get(KEY_CHANGES_KEY)) !== undefined;
  } catch {
    return false;
  }
}
