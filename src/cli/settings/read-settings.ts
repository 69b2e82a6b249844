/**
 * Settings from flags, environment and file, in that order. Nothing is ignored: an unknown name, a
 * bad value and a contradiction all refuse to start, and say what would be right.
 */

import { readFileSync } from "node:fs";
import { nearestName } from "../../base/nearest-name.ts";
import { parseJson } from "../../wire/json/json-reader.ts";
import { parseSetting, SettingFault, type SettingValue } from "./parse-setting.ts";
import {
  environmentName,
  fileKey,
  type NamedSetting,
  SETTINGS,
  type SettingName,
} from "./setting-table.ts";

/** Values by setting; a setting that is not given is absent. */
export type GivenSettings = ReadonlyMap<SettingName, SettingValue>;

/** Where settings come from. */
export interface SettingSources {
  /** Flags by setting name; texts, or true for a flag without a value. */
  readonly flags: Readonly<Record<string, string | true>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file; a parameter for tests. */
  readonly readFile?: (path: string) => string;
}

/** Joins the sources; throws `SettingFault` for anything that is unknown or unreadable. */
export function readSettings(sources: SettingSources): GivenSettings {
  const flags = new Map<SettingName, SettingValue>();
  const environment = new Map<SettingName, SettingValue>();
  refuseUnknownEnvironment(sources.environment);
  for (const setting of SETTINGS as readonly NamedSetting[]) {
    const flag = sources.flags[setting.name];
    if (flag !== undefined)
      flags.set(setting.name, parseSetting(setting, flag, `--${setting.name}`));
    const own = environmentName(setting);
    const { sharedVariable } = setting;
    const isShared = sharedVariable !== undefined && (sources.environment[own] ?? "") === "";
    const name = isShared ? sharedVariable : own;
    const text = sources.environment[name];
    // An empty variable counts as unset: compose files cannot pass "nothing" in another way.
    if (text !== undefined && text !== "") {
      environment.set(setting.name, parseSetting(setting, text, name));
    }
  }
  const path = flags.get("config") ?? environment.get("config");
  const file =
    path === undefined
      ? []
      : readConfigurationFile(String(path), sources.readFile ?? ((p) => readFileSync(p, "utf8")));
  return new Map([...file, ...environment, ...flags]);
}

function refuseUnknownEnvironment(environment: SettingSources["environment"]): void {
  const known = SETTINGS.map(environmentName);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("TRAWL_") || known.includes(name)) continue;
    throw new SettingFault(
      `unknown environment variable ${name}; the nearest setting is ${nearestName(name, known)}`,
    );
  }
}

function readConfigurationFile(
  path: string,
  readFile: (path: string) => string,
): [SettingName, SettingValue][] {
  const members = Object.entries(parseFile(path, readFile));
  const settings = SETTINGS.filter((setting) => setting.name !== "config");
  const byKey = new Map<string, NamedSetting>(
    settings.map((setting) => [fileKey(setting), setting]),
  );
  return members.map(([key, value]) => {
    const setting = byKey.get(key);
    if (setting === undefined) {
      const nearest = nearestName(key, [...byKey.keys()]);
      throw new SettingFault(`${path}: unknown key ${key}; the nearest setting is ${nearest}`);
    }
    return [setting.name, parseSetting(setting, value, `${path}: ${key}`)];
  });
}

function parseFile(path: string, readFile: (path: string) => string): object {
  let parsed: unknown;
  try {
    const text = readFile(path);
    // It refuses a key that is there twice, and quotes nothing of the file, which may hold secrets.
    parseJson(new TextEncoder().encode(text));
    parsed = JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Failed to parse .* as JSON: /, "");
    throw new SettingFault(`cannot read the configuration file ${path}: ${reason}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new SettingFault(`${path}: the file must hold one JSON object, such as {"port": 8484}`);
  }
  return parsed;
}
