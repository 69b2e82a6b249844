/**
 * The audit: a line of JSON for each event, apart from the log. Lines wait in memory while they
 * are written, so that no request waits for them; when too many wait, further ones are lost and
 * counted, and both the log and the audit tell.
 */

import { appendFile } from "node:fs/promises";
import type { EngineMetric } from "../../api/engine.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { type Clock, formatTime } from "../../base/clock.ts";
import { waitAtMost } from "../../base/within-time.ts";
import type { AuditEvent } from "./audit-events.ts";
import type { HttpLog } from "./request-log.ts";

/** Characters of lines that wait: some thousand events. */
const WAITING_CHARS_MAX = 1 * MIB;
/** When it is tried again to write what could not be written. */
const AUDIT_RETRY_MS = 1000;
/** How long a server that stops waits for its audit. */
const AUDIT_CLOSE_MS_MAX = 3000;

/** Appends text to where the audit is. */
export type AuditSink = (text: string) => Promise<void>;

/** A request that events are of. */
export interface AuditedRequest {
  /** Its id, which its line of the log has, too. */
  readonly id: string;
  /** The client's address. */
  readonly origin: string | undefined;
}

/** What an `AuditLog` needs. */
export interface AuditOptions {
  readonly sink: AuditSink;
  readonly clock: Clock;
  readonly log: HttpLog;
  /** Every write of documents is an event. */
  readonly hasWrites: boolean;
}

/** Appends to a file; opened for each time, so that it may be moved away. */
export function fileSink(path: string): AuditSink {
  return (text) => appendFile(path, text);
}

/** See the file's head. */
export class AuditLog {
  readonly hasWrites: boolean;
  readonly #options: AuditOptions;
  #waiting = "";
  #lostCount = 0;
  #lostTotal = 0;
  #isFailing = false;
  #isClosing = false;
  #writing: Promise<void> | undefined;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.hasWrites = options.hasWrites;
  }

  /** Takes an event; it is written soon. */
  note({ action, actor, targets, status }: AuditEvent, { id, origin }: AuditedRequest): void {
    const line = this.#line({ action, actor: actor ?? null, targets, origin, request: id, status });
    if (this.#waiting.length + line.length > WAITING_CHARS_MAX) {
      if (this.#lostCount === 0) {
        this.#options.log("error", "lines of the audit are lost: too many wait to be written");
      }
      this.#lostCount++;
      this.#lostTotal++;
      return;
    }
    this.#waiting += line;
    this.#writing ??= this.#write();
  }

  /** Resolves when all is written that can be, after `AUDIT_CLOSE_MS_MAX` at the latest. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await waitAtMost(this.#options.clock, this.#writing, AUDIT_CLOSE_MS_MAX);
    if (this.#waiting === "") return;
    this.#options.log("error", "the end of the audit could not be written");
  }

  /** What was lost, for `/metrics`. */
  metrics(): readonly EngineMetric[] {
    const help = "Lines of the audit that found no room while it could not be written.";
    return [
      { name: "trawl_audit_lines_lost_total", help, kind: "counter", value: this.#lostTotal },
    ];
  }

  async #write(): Promise<void> {
    // What one turn brings is written together.
    await undefined;
    while (this.#waiting !== "") {
      if (await this.#append()) continue;
      if (this.#isClosing) break;
      await this.#options.clock.sleep(AUDIT_RETRY_MS);
    }
    this.#writing = undefined;
  }

  /** False if the lines could not be written; they wait on. */
  async #append(): Promise<boolean> {
    const { sink, log } = this.#options;
    const { length } = this.#waiting;
    try {
      // A line of which a part was written before ends where the next try begins.
      await sink((this.#isFailing ? "\n" : "") + this.#waiting);
    } catch (error) {
      const reason = (error as Error).message;
      if (!this.#isFailing)
        log("error", "the audit cannot be written; it is tried again", { reason });
      this.#isFailing = true;
      return false;
    }
    if (this.#isFailing) log("info", "the audit is written again");
    this.#isFailing = false;
    this.#waiting = this.#waiting.slice(length);
    if (this.#lostCount > 0) {
      this.#waiting += this.#line({ action: "lines_lost", count: this.#lostCount });
      this.#lostCount = 0;
    }
    return true;
  }

  #line(event: object): string {
    const time = formatTime(this.#options.clock.nowMs());
    return `${JSON.stringify({ time, ...event })}\n`;
  }
}
