/** From options to settings: the same table, rules and messages as those of the server. */

import { nearestName } from "../base/nearest-name.ts";
import { parseSetting, SettingFault, type SettingValue } from "../cli/settings/parse-setting.ts";
import type { GivenSettings } from "../cli/settings/read-settings.ts";
import { type NamedSetting, SETTINGS, type SettingName } from "../cli/settings/setting-table.ts";

/** Settings of libraries, by their names as options. */
const BY_OPTION: ReadonlyMap<string, NamedSetting> = new Map(
  SETTINGS.map((setting) => [optionName(setting.name), setting]),
);

/** A setting's name as an option: `data-dir` → `dataDir`. */
function optionName(name: string): string {
  return name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Names of the settings that are options of libraries. */
export function libraryOptionNames(): readonly string[] {
  const options = [...BY_OPTION].filter(([, { notForLibraries }]) => notForLibraries === undefined);
  return options.map(([name]) => name);
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
    const { notForLibraries: reason } = setting;
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
