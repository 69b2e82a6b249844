/** How a simulated store misbehaves. */

import type { Random } from "../../src/base/random.ts";

/** Shares of 1 of the calls that go wrong, and times of those that do not. */
export interface FaultProfile {
  /** Nothing happens, and the call fails. */
  readonly before: number;
  /** It happens, and the answer is lost. */
  readonly lost: number;
  /** The call fails, and happens a long time afterwards. */
  readonly late: number;
  /** Too many requests: nothing happens. */
  readonly overloaded: number;
  /** A put happens twice on its way, so that it conflicts with itself. */
  readonly repeated: number;
  /** What was read arrives damaged. */
  readonly damaged: number;
  /** It takes a long time, before its effect or after. */
  readonly held: number;
  /** Most that an ordinary call takes. */
  readonly latencyMsMax: number;
}

/** Nothing goes wrong. */
export const NO_FAULTS: FaultProfile = {
  before: 0,
  lost: 0,
  late: 0,
  overloaded: 0,
  repeated: 0,
  damaged: 0,
  held: 0,
  latencyMsMax: 10,
};

/** Longest that a call is held, in milliseconds: longer than garbage has to wait. */
export const HELD_MS_MAX = 400_000;

/** What happens to one call. */
export interface Fault {
  readonly kind: "none" | "before" | "lost" | "late" | "overloaded" | "repeated" | "damaged";
  /** From the call to its effect. */
  readonly effectMs: number;
  /** From the effect to the answer, or from the call where there is no effect. */
  readonly answerMs: number;
}

const KINDS = ["before", "lost", "late", "overloaded", "repeated", "damaged"] as const;

/** Draws what happens to a call. */
export function drawFault(random: Random, faultProfile: FaultProfile, what: string): Fault {
  const kind = drawKind(random, faultProfile, what);
  const latency = () => random.next() * faultProfile.latencyMsMax;
  const hold = () => (random.next() < faultProfile.held ? random.next() ** 3 * HELD_MS_MAX : 0);
  const effectMs = kind === "late" ? random.next() ** 3 * HELD_MS_MAX : latency() + hold();
  return { kind, effectMs, answerMs: latency() + hold() };
}

function drawKind(random: Random, faultProfile: FaultProfile, what: string): Fault["kind"] {
  let left = random.next();
  for (const kind of KINDS) {
    left -= faultProfile[kind];
    if (left >= 0) continue;
    if (kind === "repeated" && what !== "put") return "none";
    if (kind === "damaged" && !what.startsWith("get")) return "none";
    // A read that comes late is one that was lost.
    if (kind === "late" && what !== "put" && what !== "delete") return "lost";
    return kind;
  }
  return "none";
}

/** Bytes as they arrive when something went wrong that nobody noticed. */
export function damaged(
  bytes: Uint8Array,
  others: readonly Uint8Array[],
  random: Random,
): Uint8Array {
  switch (random.below(6)) {
    case 0:
      return bytes.slice(0, random.below(bytes.length + 1));
    case 1:
      return others[random.below(others.length)].slice();
    case 2:
      return new Uint8Array(0);
    default: {
      const changed = bytes.slice();
      if (changed.length > 0) changed[random.below(changed.length)] ^= 1 << random.below(8);
      return changed;
    }
  }
}
