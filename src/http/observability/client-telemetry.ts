/**
 * Timings that clients report of their earlier requests, in a header of later ones: counted for
 * `/metrics`, and never a reason to refuse a request.
 */

import { KIB } from "../../base/byte-sizes.ts";
import { ROUTES } from "../routes/routes.ts";

/** The header, as Node names it. */
export const TELEMETRY_HEADER = "x-turbopuffer-client-telemetry";

/** Longest header that is looked into, in UTF-16 units; our choice: twice what 16 records take. */
const TELEMETRY_CHARS_MAX = 12 * KIB;
/** Records of one header that are counted (contract). */
const TELEMETRY_RECORDS_MAX = 16;
/** Longest request that is believed: a day. */
const TELEMETRY_US_MAX = 86_400e6;
/** Most records that one header may say were dropped: what clients keep. */
const TELEMETRY_DROPPED_MAX = 1000;
/** Stands for what this server does not know, so that labels are few. */
const OTHER = "other";

/** Statuses that clients may have had from this server; 0 where no answer came. */
const STATUSES: ReadonlySet<unknown> = new Set([
  ...[0, 200, 202, 400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 422, 429, 431, 500, 503],
]);

/** Operations by the names that clients give to their routes. */
const OPERATIONS: ReadonlyMap<unknown, string> = new Map(
  ROUTES.flatMap(({ method, versions, path, operation }) =>
    versions.map((version) => {
      const template = path.replace(":namespace", "{ns}").replace(":token", "{token}");
      return [`${method} /${version}/${template}`, operation] as const;
    }),
  ),
);

/** One request as its client saw it. */
export interface TelemetryRecord {
  /** As in the table of routes, or `other`. */
  readonly operation: string;
  /** One that this server gives, `0` where no answer came, or `other`. */
  readonly status: string;
  /** From the call to its result; 0 if the client does not say. */
  readonly seconds: number;
}

/** What a header says. */
export interface ClientTelemetry {
  readonly records: readonly TelemetryRecord[];
  /** Records that the client had no room for. */
  readonly dropped: number;
}

/** Reads a header; undefined if it is not understood. Never throws. */
export function parseClientTelemetry(header: string): ClientTelemetry | undefined {
  if (header.length > TELEMETRY_CHARS_MAX) return undefined;
  const envelope = membersOf(parse(header));
  if (!Array.isArray(envelope.records)) return undefined;
  const records = (envelope.records as unknown[]).slice(0, TELEMETRY_RECORDS_MAX);
  return {
    records: records.map((record) => recordOf(membersOf(record))),
    dropped: bounded(envelope.dropped, TELEMETRY_DROPPED_MAX),
  };
}

function recordOf({ route, status, total_us }: Record<string, unknown>): TelemetryRecord {
  const template = typeof route === "string" ? route.split("?", 1)[0] : route;
  return {
    operation: OPERATIONS.get(template) ?? OTHER,
    status: STATUSES.has(status) ? String(status) : OTHER,
    seconds: bounded(total_us, TELEMETRY_US_MAX) / 1e6,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** A number from 0 to `max`; 0 for anything else. */
function bounded(value: unknown, max: number): number {
  return typeof value === "number" && value >= 0 && value <= max ? value : 0;
}
