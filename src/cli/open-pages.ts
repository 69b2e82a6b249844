/** Opens the pages that the server has for browsers. */

import { fileURLToPath } from "node:url";
import type { HttpLog } from "../http/observability/request-log.ts";
import { withoutConsoleLink } from "../http/pages/console-link.ts";
import { type PageEdit, PageFiles } from "../http/pages/page-files.ts";
import type { PageSite } from "../http/pages/page-site.ts";
import type { ServerConfig } from "./settings/server-config.ts";

/** Where the build puts pages, seen from the sources and from what is built of them. */
const BUILT = new URL("../../dist/", import.meta.url);

/** The sites that the settings ask for; one that was not built is left out, and the log says so. */
export async function openPages(
  { pages }: Pick<ServerConfig, "pages">,
  log: HttpLog,
): Promise<readonly PageSite[]> {
  const console = pages.hasConsole ? await openSite("console", log) : undefined;
  const docs = await openSite("docs", log, console === undefined ? withoutConsoleLink : undefined);
  return [
    // The console itself knows what its addresses mean.
    ...(console === undefined ? [] : [{ ...console, fallback: "index.html" }]),
    ...(docs === undefined ? [] : [docs]),
  ];
}

async function openSite(
  name: "console" | "docs",
  log: HttpLog,
  edit?: PageEdit,
): Promise<PageSite | undefined> {
  const folder = fileURLToPath(new URL(name, BUILT));
  const files = await PageFiles.open(folder, edit);
  if (files !== undefined) return { path: `/${name}`, files };
  log("warn", `/${name}/ is not served, since it is not built`, { folder });
  return undefined;
}
