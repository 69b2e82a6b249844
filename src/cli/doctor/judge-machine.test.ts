import { expect, test } from "vitest";
import { GIB, MIB } from "../../base/byte-sizes.ts";
import type { Finding } from "./finding.ts";
import {
  judgeClock,
  judgeDisk,
  judgeMemory,
  judgeOpenFiles,
  judgeSync,
  judgeVersion,
} from "./judge-machine.ts";

const NOW_MS = Date.UTC(2026, 0, 31);
const memory = (limitBytes: number, machineBytes: number, freeBytes: number) =>
  judgeMemory({ limitBytes, machineBytes, freeBytes });
const disk = (freeBytes: number, neededBytes = 0) =>
  judgeDisk("disk", { path: "/data", freeBytes, neededBytes });

test.each<[string, Finding, Finding["verdict"], string]>([
  ["a new Node", judgeVersion("0.2.0", "v24.21.0"), "ok", "trawl 0.2.0 on Node v24.21.0"],
  ["an old Node", judgeVersion("0.2.0", "v22.9.0"), "fault", "npx trawl bring one along"],
  ["enough memory", memory(4 * GIB, 8 * GIB, 3 * GIB), "ok", "4.0 GiB of 8.0 GiB, 3.0 GiB free"],
  ["a limit above the machine", memory(9 * GIB, 8 * GIB, 8 * GIB), "fault", "--memory-limit"],
  ["a limit without room for the rest", memory(7 * GIB, 8 * GIB, 8 * GIB), "warning", "4.9 GiB"],
  ["a small limit", memory(256 * MIB, 8 * GIB, 8 * GIB), "warning", "512MiB or more"],
  ["memory that others have", memory(4 * GIB, 8 * GIB, GIB - 1), "warning", "other programs"],
  ["many open files", judgeOpenFiles(20_000), "ok", "at most 20,000"],
  ["few open files", judgeOpenFiles(1_024), "warning", "raise it to 4,096"],
  ["next to no open files", judgeOpenFiles(64), "fault", "ulimit -n"],
  ["an unknown number of files", judgeOpenFiles(undefined), "ok", "no limit is told"],
  ["a plain clock", judgeClock(NOW_MS), "ok", "2026-01-31T00:00:00.000Z"],
  ["a clock that was never set", judgeClock(1_000), "fault", "NTP"],
  ["a clock like the bucket's", judgeClock(NOW_MS, NOW_MS - 900), "ok", "900 ms from"],
  ["a clock that is ahead", judgeClock(NOW_MS, NOW_MS - 90_000), "warning", "1 min 30 s from"],
  ["a clock that is behind", judgeClock(NOW_MS, NOW_MS + 900_000), "fault", "15 min from"],
  ["room on the disk", disk(10 * GIB), "ok", "10.0 GiB free at /data"],
  ["little room", disk(GIB), "warning", "make room"],
  ["no room", disk(MIB), "fault", "writes fail with 503"],
  ["less room than a cache needs", disk(5 * GIB, 10 * GIB), "warning", "--disk-cache-limit"],
  ["a fast disk", judgeSync(0.8), "ok", "0.8 ms until 4 KiB are on it"],
  ["a slow disk", judgeSync(80), "warning", "a faster disk"],
])("%s", (_name, found, verdict, text) => {
  expect(found.verdict).toBe(verdict);
  expect(`${found.seen}; ${found.cure}`).toContain(text);
});
