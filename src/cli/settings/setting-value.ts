/** The value of one setting, typed by its row in the table. */

import { resolve } from "node:path";
import { must } from "../../base/assert.ts";
import type { SettingValue } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { type NamedSetting, SETTINGS, type SettingName } from "./setting-table.ts";

type Row<Name extends SettingName> = Extract<(typeof SETTINGS)[number], { readonly name: Name }>;

type Parsed<Type> = Type extends { readonly kind: "integer" | "bytes" | "duration" | "share" }
  ? number
  : Type extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Type extends { readonly kind: "flag" }
      ? boolean
      : Type extends { readonly kind: "list" }
        ? readonly string[]
        : Type extends { readonly kind: "dimensions" }
          ? Readonly<Record<string, number>>
          : string;

type Defaulted = { readonly default: unknown } | { readonly type: { kind: "flag" | "list" } };

/** Type of a setting's value; includes undefined where the setting may be unset. */
export type ValueOf<Name extends SettingName> =
  | Parsed<Row<Name>["type"]>
  | (Row<Name> extends Defaulted ? never : undefined);

/** The value that was given, or the default of the table. */
export function settingValue<Name extends SettingName>(
  given: GivenSettings,
  name: Name,
): ValueOf<Name> {
  return (given.get(name) ?? defaultOf(name)) as ValueOf<Name>;
}

function defaultOf(name: SettingName): SettingValue | undefined {
  const all: readonly NamedSetting[] = SETTINGS;
  const { type, default: value } = must(
    all.find((setting) => setting.name === name),
    name,
  );
  switch (type.kind) {
    case "flag":
      return false;
    case "list":
      return [];
    case "path":
      return typeof value === "string" ? resolve(value) : undefined;
    default:
      return value;
  }
}
