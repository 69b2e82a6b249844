import type { HttpLog } from "./request-log.ts";

/** Kinds of warnings that are remembered; some 3 KB each at most. */
const KINDS_MAX = 256;

/** Logs what answers warn of, each kind once: a client repeats its mistake with every request. */
export class WarningLog {
  readonly #log: HttpLog;
  readonly #kinds = new Set<string>();

  constructor(log: HttpLog) {
    this.#log = log;
  }

  /** Logs the warning unless an equal one was logged, whatever the places in its lists. */
  note(operation: string, namespace: string | undefined, warning: string): void {
    if (this.#kinds.size > KINDS_MAX) return;
    const kind = `${operation} ${warning.replace(/\[\d+\]/g, "[]")}`;
    if (this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    if (this.#kinds.size <= KINDS_MAX) {
      this.#log("warn", "unknown fields are ignored", { operation, namespace, warning });
    } else {
      this.#log("warn", "unknown fields of further kinds are not logged", { kinds: KINDS_MAX });
    }
  }
}
