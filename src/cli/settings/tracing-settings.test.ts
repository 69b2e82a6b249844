import { expect, test } from "vitest";
import { readSettings } from "./read-settings.ts";
import { tracingConfig } from "./tracing-settings.ts";

const configOf = (
  flags: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
) => tracingConfig(readSettings({ flags, environment }));

test("nothing is traced unless a collector is named", () => {
  expect(configOf({})).toBeUndefined();
  expect(configOf({}, { OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBeUndefined();
  expect(() => configOf({ "otlp-sample-rate": "0.5" })).toThrow("no --otlp-endpoint");
});

test("the collector is that of the flag, of our variable, or of everybody's", () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = "http://shared:4318/";
  const TRAWL_OTLP_ENDPOINT = "https://ours:4318/prefix";
  const shared = configOf({}, { OTEL_EXPORTER_OTLP_ENDPOINT });
  expect(shared).toEqual({ url: "http://shared:4318/v1/traces", sampleRate: 1 });
  const ours = configOf({}, { OTEL_EXPORTER_OTLP_ENDPOINT, TRAWL_OTLP_ENDPOINT });
  expect(ours?.url).toBe("https://ours:4318/prefix/v1/traces");
  const flags = { "otlp-endpoint": "http://flag/v1/traces", "otlp-sample-rate": "0.25" };
  expect(configOf(flags, { TRAWL_OTLP_ENDPOINT })).toEqual({
    url: "http://flag/v1/traces",
    sampleRate: 0.25,
  });
});

test("a collector that cannot be asked is refused, without its password", () => {
  const refused = (endpoint: string) => () => configOf({ "otlp-endpoint": endpoint });
  expect(refused("localhost:4317")).toThrow("is no http or https URL");
  expect(refused("http://me:secret@localhost:4318")).toThrow(/^((?!secret).)*no credentials/);
});
