/**
 * Spans of traces, and the JSON by which collectors take them: `ExportTraceServiceRequest` of
 * OpenTelemetry's protocol (OTLP/HTTP, version 1.x of its protobuf files, in their JSON mapping).
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

/** Something that was done, from when to when. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent: it is the trace's first. */
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: "server" | "internal";
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  /** Numbers are whole. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** It failed by a fault of the server. */
  readonly isError?: boolean;
}

/** Who has made spans. */
export interface SpanResource {
  readonly serviceName: string;
  /** Absent: it is not told. */
  readonly version?: string;
}

const KINDS = { internal: 1, server: 2 } as const;
const STATUS_ERROR = 2;

/** The body of one export. */
export function encodeSpans(spans: readonly Span[], resource: SpanResource): string {
  const { serviceName, version } = resource;
  const attributes = encodeAttributes({
    "service.name": serviceName,
    "service.version": version,
  });
  const scope = { name: "trawl", ...(version !== undefined && { version }) };
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes }, scopeSpans: [{ scope, spans: spans.map(encodeSpan) }] },
    ],
  });
}

function encodeSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: encodeAttributes(span.attributes),
    ...(span.isError === true && { status: { code: STATUS_ERROR } }),
  };
}

/** As text, since there are more of them than float64 counts; to the microsecond. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

function encodeAttributes(attributes: Span["attributes"]): object[] {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
    }));
}
