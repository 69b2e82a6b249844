/** Settings of traces. */

import type { TracingConfig } from "../../api/config.ts";
import { SettingFault } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { settingValue } from "./setting-value.ts";
import { shownUrl } from "./shown-url.ts";

/** Undefined where no collector is named. Throws `SettingFault` for one that cannot be asked. */
export function tracingConfig(given: GivenSettings): TracingConfig | undefined {
  const endpoint = settingValue(given, "otlp-endpoint");
  if (endpoint === undefined) {
    if (!given.has("otlp-sample-rate")) return undefined;
    throw new SettingFault("--otlp-sample-rate is set, but no --otlp-endpoint that traces go to");
  }
  return { url: tracesUrl(endpoint), sampleRate: settingValue(given, "otlp-sample-rate") };
}

/** By the protocol `v1/traces` follows the base URL; one that has it is taken as it is. */
function tracesUrl(endpoint: string): string {
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new SettingFault(
      `--otlp-endpoint: ${shownUrl(endpoint)} is no http or https URL, such as ` +
        "http://localhost:4318 (OTLP over HTTP; the port of gRPC is another one)",
    );
  }
  const { username, password } = new URL(endpoint);
  if (username !== "" || password !== "") {
    throw new SettingFault(
      "--otlp-endpoint must hold no credentials; name a collector beside the server that has them",
    );
  }
  return `${endpoint.replace(/\/+$/, "").replace(/\/v1\/traces$/, "")}/v1/traces`;
}
