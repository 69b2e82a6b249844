import { join } from "node:path";
import type { Page } from "playwright-core";

/**
 * Saves what the page shows as a PNG in the folder that `TRAWL_SCREENSHOTS` names, for people to
 * look at; without it nothing.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.TRAWL_SCREENSHOTS;
  if (folder === undefined) return;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
