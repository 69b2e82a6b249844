/** Prometheus' text format, as `GET /metrics` answers it, read into numbers. */

/** One line: a metric with its labels and what it was. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of one moment by the metric's name; buckets of histograms under `…_bucket`. */
export type MetricSamples = ReadonlyMap<string, readonly MetricSample[]>;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", '"': '"', "\\": "\\" };

/** Reads a whole answer. Throws where a line is none of the format's, and names it. */
export function parseMetrics(text: string): MetricSamples {
  const samples = new Map<string, MetricSample[]>();
  for (const [i, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const parts = SAMPLE.exec(trimmed);
    const labels = parts === null ? undefined : parseLabels(parts[2] ?? "");
    const value = parts === null ? undefined : parseValue(parts[3]);
    if (parts === null || labels === undefined || value === undefined) {
      throw new Error(`/metrics: line ${i + 1} is no sample of a metric: ${trimmed.slice(0, 80)}`);
    }
    const [, name] = parts;
    const before = samples.get(name);
    if (before === undefined) samples.set(name, [{ labels, value }]);
    else before.push({ labels, value });
  }
  return samples;
}

function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const label = LABEL.exec(text);
    if (label === null) return undefined;
    labels[label[1]] = label[2].replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
  }
  return labels;
}

function parseValue(text: string): number | undefined {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  if (text === "-Inf") return Number.NEGATIVE_INFINITY;
  if (text === "NaN") return Number.NaN;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}
