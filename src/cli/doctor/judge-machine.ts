/** What facts about a machine mean for a server; nothing here looks at the machine itself. */

import { countText, sizeText } from "../../base/amount-text.ts";
import { GIB, MIB } from "../../base/byte-sizes.ts";
import { formatTime } from "../../base/clock.ts";
import { durationText } from "../../base/duration.ts";
import { nodeVersionFault } from "../../base/node-version.ts";
import {
  defaultMemoryLimit,
  MEMORY_LIMIT_MIN,
  memoryUse,
} from "../settings/default-memory-limit.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** Below it little is left for caches beside what the threads need. */
const MEMORY_BYTES_ADVISED = 512 * MIB;
/** Connections, segments and files of several threads. */
const OPEN_FILES_ADVISED = 4_096;
/** Fewer do not suffice for a server under load. */
const OPEN_FILES_MIN = 256;
/** Less than a merge of segments may need beside what is there. */
const DISK_FREE_BYTES_MIN = 256 * MIB;
const DISK_FREE_BYTES_ADVISED = 2 * GIB;
/** A write is answered after one or two of these. */
const SYNC_MS_ADVISED = 30;
/** Amazon refuses requests from farther away. */
const CLOCK_SKEW_MS_MAX = 15 * 60_000;
const CLOCK_SKEW_MS_ADVISED = 60_000;
/** Before it no version of this program was made. */
const TIME_MS_MIN = Date.UTC(2025, 0, 1);

/** Versions of the program and of what runs it. */
export function judgeVersion(version: string, node: string): Finding {
  const seen = `trawl ${version} on Node ${node}`;
  const reason = nodeVersionFault(node);
  if (reason === undefined) return ok("version", seen);
  return fault("version", seen, `${reason}: npm start and npx trawl bring one along`);
}

/** The memory that the server plans with, of what the process may use and what is free now. */
export function judgeMemory(memory: {
  readonly limitBytes: number;
  readonly machineBytes: number;
  readonly freeBytes: number;
}): Finding {
  const { limitBytes, machineBytes, freeBytes } = memory;
  const about = "memory limit";
  const seen = `${sizeText(limitBytes)} of ${sizeText(machineBytes)}, ${sizeText(freeBytes)} free`;
  if (limitBytes > machineBytes) {
    return fault(about, seen, "set --memory-limit to what the machine or the cgroup has");
  }
  const used = memoryUse(limitBytes);
  if (limitBytes > MEMORY_LIMIT_MIN && used > machineBytes) {
    const cure = `lower it to ${sizeText(defaultMemoryLimit(machineBytes))}`;
    return warning(about, seen, `${cure}: server and indexer may take ${sizeText(used)}`);
  }
  if (limitBytes < MEMORY_BYTES_ADVISED) {
    return warning(about, seen, "give it 512MiB or more: queries and writes may get 429 before");
  }
  // Of its limit a server takes little until data needs it.
  if (freeBytes < limitBytes / 4) {
    const cure = "lower --memory-limit to what other programs leave, or the system may kill it";
    return warning(about, seen, cure);
  }
  return ok(about, seen);
}

/** How many files and connections may be open; undefined where the system does not say. */
export function judgeOpenFiles(limit: number | undefined): Finding {
  const about = "open files";
  if (limit === undefined) return ok(about, "no limit is told by this system");
  const seen = `at most ${countText(limit)}`;
  const cure = `raise it to ${countText(OPEN_FILES_ADVISED)} (ulimit -n, LimitNOFILE=)`;
  if (limit < OPEN_FILES_MIN) return fault(about, seen, cure);
  return limit < OPEN_FILES_ADVISED ? warning(about, seen, cure) : ok(about, seen);
}

/** This machine's time, and that of a service where one was asked. */
export function judgeClock(nowMs: number, serviceMs?: number): Finding {
  const cure = "let the system keep its clock by NTP (timedatectl set-ntp true)";
  const seen = formatTime(nowMs);
  if (nowMs < TIME_MS_MIN) return fault("clock", seen, cure);
  if (serviceMs === undefined) return ok("clock", seen);
  const skewMs = Math.abs(nowMs - serviceMs);
  const compared = `${seen}, ${durationText(skewMs)} from the bucket's`;
  if (skewMs >= CLOCK_SKEW_MS_MAX) return fault("clock", compared, cure);
  return skewMs >= CLOCK_SKEW_MS_ADVISED ? warning("clock", compared, cure) : ok("clock", compared);
}

/** Room on the disk that holds `path`; `neededBytes` is what a cache there may still grow by. */
export function judgeDisk(
  about: string,
  disk: { readonly path: string; readonly freeBytes: number; readonly neededBytes?: number },
): Finding {
  const { path, freeBytes, neededBytes = 0 } = disk;
  const seen = `${sizeText(freeBytes)} free at ${path}`;
  if (freeBytes < DISK_FREE_BYTES_MIN) {
    return fault(about, seen, "make room: writes fail with 503 where the disk is full");
  }
  if (freeBytes < neededBytes) {
    const cure = `make room for ${sizeText(neededBytes)}, or lower --disk-cache-limit`;
    return warning(about, seen, cure);
  }
  if (freeBytes < DISK_FREE_BYTES_ADVISED) {
    return warning(about, seen, "make room: segments are merged beside those that they replace");
  }
  return ok(about, seen);
}

/** How long some bytes take to be on the disk. */
export function judgeSync(medianMs: number): Finding {
  const seen = `${durationText(medianMs)} until 4 KiB are on it`;
  if (medianMs <= SYNC_MS_ADVISED) return ok("disk speed", seen);
  const cure = "use a faster disk: each write waits for it before it is acknowledged";
  return warning("disk speed", seen, cure);
}
