/** Log lines on stderr: JSON for machines, one short line each for a person at a terminal. */

import pino, { type LoggerOptions } from "pino";
import { formatTime, systemClock } from "../base/clock.ts";
import type { HttpLog } from "../http/observability/request-log.ts";
import type { LogConfig } from "./settings/server-config.ts";

/** What the log writes to; the process's stderr in the program. */
export interface LogTarget {
  readonly isTerminal: boolean;
  /** Takes a line with its line break. */
  write(line: string): void;
}

/** Creates the log function that all parts of the server share. */
export function createLog(config: LogConfig, target: LogTarget): HttpLog {
  const pretty = config.format === "pretty" || (config.format === "auto" && target.isTerminal);
  const isoTime = timeFormatter();
  const stream = {
    write: (line: string) => target.write(pretty ? prettyLine(JSON.parse(line)) : line),
  };
  const options: LoggerOptions = {
    level: config.level,
    base: null,
    messageKey: "message",
    timestamp: () => `,"time":"${isoTime(systemClock.nowMs())}"`,
    formatters: { level: (name) => ({ level: name }) },
  };
  const logger = pino(options, stream);
  return (level, message, facts = {}) => logger[level](facts, message);
}

/** Formats times as `formatTime` does, but for one of each second by adding the milliseconds. */
function timeFormatter(): (ms: number) => string {
  let second = Number.NaN;
  let start = "";
  return (ms) => {
    const whole = Math.floor(ms / 1000);
    if (whole !== second) {
      second = whole;
      start = formatTime(ms).slice(0, -"000Z".length);
    }
    return `${start}${String(ms - whole * 1000).padStart(3, "0")}Z`;
  };
}

/** Renders one JSON line for people: `12:00:00.123 info request status=200 ms=1.2`. */
function prettyLine(line: Readonly<Record<string, unknown>>): string {
  const { level, time, message, error, ...facts } = line;
  const clockTime = String(time).slice(11, 23);
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${showFact(value)}`);
  const head = [clockTime, level, message, ...pairs];
  return `${head.join(" ")}\n${error === undefined ? "" : `    ${String(error)}\n`}`;
}

function showFact(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
