import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Of 100: text stays sharp, at a third of the bytes of a PNG. */
const QUALITY = 80;

/**
 * Saves what the window shows as a WebP in the folder that `TRAWL_SCREENSHOTS` names, for people to
 * look at; without it nothing.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.TRAWL_SCREENSHOTS;
  if (folder === undefined) return;
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
}
