/** Writes the table of settings into docs/configuration.md. Run: `npm run write:settings`. */

import { readFileSync, writeFileSync } from "node:fs";
import { withSettings } from "./docs/settings-markdown.ts";

const page = new URL("../docs/configuration.md", import.meta.url);
writeFileSync(page, withSettings(readFileSync(page, "utf8")));
