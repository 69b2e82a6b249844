/** From options to settings: the same table, rules and messages as those of the server. */

import { nearestName } from "../base/nearest-name.ts";
import { parseSetting, SettingFault, type SettingValue } from "../cli/settings/parse-setting.ts";
import type { GivenSettings } from "../cli/settings/read-settings.ts";
import { SETTINGS, type Setting, type SettingName } from "../cli/settings/setting-table.ts";

/** Settings of the server that a library has no use for, and why. */
const NOT_FOR_LIBRARIES: Readonly<Partial<Record<SettingName, string>>> = {
  port: "a library listens nowhere",
  host: "a library listens nowhere",
  "api-key": "only the program itself can call it",
  "tls-cert": "a library listens nowhere",
  "tls-key": "a library listens nowhere",
  "allow-public-without-key": "a library listens nowhere",
  "allowed-hosts": "a library listens nowhere",
  "allowed-origins": "a library listens nowhere",
  "drain-delay": "a library is closed by its program, and has no load balancer",
  "answer-timeout": "answers are handed over at once",
  "slow-query-ms": "calls are not logged; measure them where they are made",
  "slow-query-sample": "calls are not logged; measure them where they are made",
  "metrics-namespaces": "a library has no metrics",
  "audit-log": "calls have no keys; note them where they are made",
  "audit-writes": "calls have no keys; note them where they are made",
  "otlp-endpoint": "calls are not traced; trace them where they are made",
  "otlp-sample-rate": "calls are not traced; trace them where they are made",
  "no-console": "a library serves no pages",
  "no-mcp": "a library listens nowhere",
  "mcp-writes": "a library listens nowhere",
  config: "read the file, and pass what it says as options",
  "file-access": "the umask is the program's own",
};

/** Settings of libraries, by their names as options. */
const BY_OPTION: ReadonlyMap<string, Setting & { readonly name: SettingName }> = new Map(
  SETTINGS.map((setting) => [optionName(setting.name), setting]),
);

/** A setting's name as an option: `data-dir` → `dataDir`. */
function optionName(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Names of the settings that are options of libraries. */
export function libraryOptionNames(): readonly string[] {
  const names = SETTINGS.filter(({ name }) => NOT_FOR_LIBRARIES[name] === undefined);
  return names.map(({ name }) => optionName(name));
}

/**
 * Reads options, undefined ones left out. Throws `SettingFault` for unknown names, bad values, and
 * what a library has no use for.
 */
export function librarySettings(options: Readonly<Record<string, unknown>>): GivenSettings {
  const settings = new Map<SettingName, SettingValue>([["log-level", "warn"]]);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || name === "onCrash") continue;
    const setting = BY_OPTION.get(name);
    if (setting === undefined) {
      const nearest = nearestName(name, libraryOptionNames());
      throw new SettingFault(`unknown option ${name}; the nearest one is ${nearest}`);
    }
    const reason = NOT_FOR_LIBRARIES[setting.name];
    if (reason !== undefined) throw new SettingFault(`option ${name} has no use here: ${reason}`);
    settings.set(setting.name, parseSetting(setting, value, `option ${name}`));
  }
  return settings;
}

/** A message about settings with their names as options: `--data-dir` → `dataDir`. */
export function inOptionNames(message: string): string {
  const names = SETTINGS.map(({ name }) => name).sort((a, b) => b.length - a.length);
  return message.replaceAll(new RegExp(`--(${names.join("|")})\\b`, "g"), (_, name: string) =>
    optionName(name),
  );
}
