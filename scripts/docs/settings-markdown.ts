/** The table of settings in docs/configuration.md, made from the table in src/cli/settings. */

import {
  defaultText,
  environmentName,
  fileKey,
  SETTINGS,
  type Setting,
  valueName,
} from "../../src/cli/settings/setting-table.ts";

const HEAD = "| Flag | Environment | File key | Default | Meaning |\n|---|---|---|---|---|\n";

/** The page with the table as it is now in place of the one that it has. */
export function withSettings(page: string): string {
  const start = page.indexOf(HEAD);
  const end = page.indexOf("\n\n", start);
  return `${page.slice(0, start)}${HEAD}${SETTINGS.map(rowOf).join("\n")}${page.slice(end)}`;
}

function rowOf(setting: Setting): string {
  const value = valueName(setting).replaceAll("|", "\\|");
  const flag = `--${setting.name}${value === "" ? "" : ` ${value}`}`;
  const cells = [
    `\`${flag}\``,
    `\`${environmentName(setting)}\``,
    setting.name === "config" ? "" : `\`${fileKey(setting)}\``,
    defaultText(setting),
    setting.help,
  ];
  return `| ${cells.join(" | ")} |`;
}
