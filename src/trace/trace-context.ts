/**
 * The header `traceparent` of W3C's Trace Context: which trace a request belongs to.
 * https://www.w3.org/TR/trace-context/
 */

/** Where a request stands in a trace that its client has begun. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The client's span: 16 hexadecimal digits. */
  readonly parentId: string;
  /** The client keeps its spans. */
  readonly isSampled: boolean;
}

/** A request that is traced. */
export interface RequestTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined: its span is the trace's first. */
  readonly parentId: string | undefined;
  /** When it arrived, in milliseconds since the epoch. */
  readonly arrivedAtMs: number;
}

/** Later versions may add members behind the flags. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED_FLAG = 1;

/** Reads the header; undefined where it breaks a rule, as if it were not there. */
export function parseTraceparent(header: string): TraceContext | undefined {
  const parts = TRACEPARENT.exec(header.trim());
  if (parts === null) return undefined;
  const [, version, traceId, parentId, flags, more] = parts;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED_FLAG) !== 0 };
}
