/** The documentation's pages of a server that has no console, beside one that has. */

import { expect, test } from "vitest";
import { fileServer } from "../support/servers/file-server.ts";

const bare = fileServer(() => ({ arguments: ["--no-console", "--no-mcp", "--indexer", "off"] }));
const whole = fileServer(() => ({ arguments: ["--indexer", "off"] }));

/** What a page of the documentation links to on its server, beside the documentation itself. */
async function linksOf(url: string, path: string): Promise<string[]> {
  const html = await (await fetch(`${url}${path}`)).text();
  const links = [...html.matchAll(/href="(\/[^"#]*)/g)].map(([, link]) => link);
  return [...new Set(links.filter((link) => !link.startsWith("/docs/")))];
}

test.each(["/docs/", "/docs/console", "/docs/mcp", "/docs/reference/query"])(
  "%s links to nothing that its server does not serve",
  async (path) => {
    expect(await linksOf(whole.url, path)).toContain("/console/");
    for (const link of await linksOf(bare.url, path)) {
      const { status } = await fetch(`${bare.url}${link}`);
      expect([link, status]).toEqual([link, 200]);
    }
    expect(await linksOf(bare.url, path)).not.toContain("/console/");
  },
);
