/** Opens the pages that the server has for browsers. */

import { fileURLToPath } from "node:url";
import type { HttpLog } from "../http/observability/request-log.ts";
import { PageFiles } from "../http/pages/page-files.ts";
import type { PageSite } from "../http/pages/page-site.ts";
import type { ServerConfig } from "./server-config.ts";

/** Where the build puts pages, seen from the sources and from what is built of them. */
const BUILT = new URL("../../dist/", import.meta.url);

/** The sites that the settings ask for; one that was not built is left out, and the log says so. */
export async function openPages(
  { pages }: Pick<ServerConfig, "pages">,
  log: HttpLog,
): Promise<readonly PageSite[]> {
  const names = pages.hasConsole ? (["console", "docs"] as const) : (["docs"] as const);
  const sites = await Promise.all(names.map((name) => openSite(name, log)));
  return sites.filter((site) => site !== undefined);
}

async function openSite(name: "console" | "docs", log: HttpLog): Promise<PageSite | undefined> {
  const folder = fileURLToPath(new URL(name, BUILT));
  const files = await PageFiles.open(folder);
  if (files === undefined) {
    log("warn", `/${name}/ is not served, since it is not built`, { folder });
    return undefined;
  }
  // The console itself knows what its addresses mean.
  return { path: `/${name}`, files, ...(name === "console" && { fallback: "index.html" }) };
}
