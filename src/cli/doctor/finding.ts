/** What one look at the machine or the configuration found. */
export interface Finding {
  /** What was looked at: `clock`, `disk`. */
  readonly about: string;
  /** `warning`: it works, but may not for long or not well. `fault`: a server would not work. */
  readonly verdict: "ok" | "warning" | "fault";
  readonly seen: string;
  /** What to do about it; absent where all is well. */
  readonly cure?: string;
}

/** Nothing to do. */
export function ok(about: string, seen: string): Finding {
  return { about, verdict: "ok", seen };
}

/** A server would not work. */
export function fault(about: string, seen: string, cure: string): Finding {
  return { about, verdict: "fault", seen, cure };
}

/** A server works, but perhaps not for long, or not well. */
export function warning(about: string, seen: string, cure: string): Finding {
  return { about, verdict: "warning", seen, cure };
}
