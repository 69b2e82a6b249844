/** The memory of a process, as the kernel counts it (Linux). */

import { readFile } from "node:fs/promises";
import { pause } from "../clocks/pause.ts";
import type { ServerProcess } from "./server-process.ts";

type Server = Pick<ServerProcess, "process">;

/** MiB that a server has now, and the most that it had. */
export async function residentMib(server: Server): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8");
  const mib = (field: string) =>
    Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: mib("VmRSS"), peak: mib("VmHWM") };
}

/** How long a server has for giving memory back; it looks every few seconds. */
const REST_SECONDS = 60;

/**
 * The memory of a server that rests, in MiB: as soon as it is below `mibMax`, or else after a
 * minute.
 */
export async function restedMib(server: Server, mibMax: number): Promise<number> {
  for (let second = 0; ; second++) {
    const { now } = await residentMib(server);
    if (now < mibMax || second === REST_SECONDS) return now;
    await pause(1000);
  }
}
