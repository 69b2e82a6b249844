/** The memory of a process, as the kernel counts it (Linux). */

import { readFile } from "node:fs/promises";
import { pause } from "../clocks/pause.ts";
import type { ServerProcess } from "./server-process.ts";

type Server = Pick<ServerProcess, "process">;

/** The most MiB that a server had. */
export async function peakResidentMib(server: Server): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** KiB of the mapping of an arena (`src/kernel/arena.ts`); no other mapping is that large. */
const ARENA_KIB = 1024 * 1024;

/**
 * MiB that a server has now outside of its arenas. An arena keeps the pages of freed blocks for the
 * next ones, within the memory limit, so its pages tell how much was once stored.
 */
export async function residentMibOutsideArenas(server: Server): Promise<number> {
  const mappings = await readFile(`/proc/${server.process.pid}/smaps`, "utf8");
  let kib = 0;
  for (const [, size, resident] of mappings.matchAll(/^Size:\s+(\d+)(?:.*\n)+?Rss:\s+(\d+)/gm)) {
    if (Number(size) < ARENA_KIB) kib += Number(resident);
  }
  return Math.round(kib / 1024);
}

/** Seconds in which a server gives memory back; it checks every few seconds. */
const REST_SECONDS = 60;

/**
 * The memory of a server at rest outside of its arenas, in MiB: as soon as it is below `mibMax`, or
 * else after a minute.
 */
export async function restedMib(server: Server, mibMax: number): Promise<number> {
  for (let second = 0; ; second++) {
    const now = await residentMibOutsideArenas(server);
    if (now < mibMax || second === REST_SECONDS) return now;
    await pause(1000);
  }
}
