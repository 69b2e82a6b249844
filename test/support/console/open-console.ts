/**
 * A real server and a real browser that has nothing but it: every request to another place is
 * refused, and fails the test. Where there is no Chromium, `describeConsole` skips its tests.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { ReplacedConfig } from "../servers/replaced-config.ts";
import { type ServerProcess, startServer } from "../servers/server-process.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";

/** Where Chromium is looked for, after `TRAWL_CHROMIUM`. */
const USUAL_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const CHROMIUM = [process.env.TRAWL_CHROMIUM, ...USUAL_PATHS].find(
  (path) => path !== undefined && path !== "" && existsSync(path),
);
/** How long a page may take for one thing, on a machine that is busy with other tests. */
const PATIENCE_MS = 30_000;
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Widths at which screens are looked at: a phone, a small window, a large one. */
export const WIDTHS = [390, 1024, 1600] as const;

/** What a test of the console has. */
export interface ConsoleFixture {
  /** The server's address. */
  readonly url: string;
  readonly server: ServerProcess;
  /** Opens an address of the console in a page of its own, with a key in its session or without. */
  open(
    path: string,
    options?: {
      readonly key?: string;
      readonly width?: number;
      readonly theme?: string;
      /** Runs in the page before its own scripts. */
      readonly script?: string;
    },
  ): Promise<Page>;
  /** Expects that axe finds nothing on the page, beside what is being loaded. */
  expectAccessible(page: Page): Promise<void>;
}

/**
 * Tests over one server, with its own flags or replaced configuration. The fixture is there from
 * the first hook on.
 */
export function describeConsole(
  name: string,
  own: readonly string[] | ReplacedConfig,
  suite: (fixture: ConsoleFixture) => void,
): void {
  if (CHROMIUM === undefined) {
    console.warn(`skipped: ${name}: Chromium is not here; TRAWL_CHROMIUM names one`);
    describe.skip(name, () => suite({} as ConsoleFixture));
    return;
  }
  describe(name, () => {
    let started: StartedConsole;
    beforeAll(async () => {
      started = await startConsole(own);
    });
    afterEach(() => started.endTest());
    afterAll(() => started?.stop());
    suite({
      get url() {
        return started.server.url;
      },
      get server() {
        return started.server;
      },
      open: (path, options) => started.open(path, options),
      expectAccessible,
    });
  });
}

interface StartedConsole {
  readonly server: ServerProcess;
  readonly open: ConsoleFixture["open"];
  readonly endTest: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function startConsole(own: readonly string[] | ReplacedConfig): Promise<StartedConsole> {
  const directory = await temporaryDirectory();
  const [flags, replaced] = "engine" in own || "http" in own ? [[], own] : [own as [], undefined];
  const server = await startServer({
    dataDir: directory.path,
    arguments: ["--log-level", "warn", ...flags],
    replaced,
  });
  const browser = await chromium.launch({
    executablePath: CHROMIUM as string,
    // Its sandbox needs what containers do not give; it opens no page but the server's own.
    args: ["--no-sandbox"],
  });
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];
  return {
    server,
    open: async (path, options = {}) => {
      const page = await openPage(browser, server.url, { ...options, faults });
      contexts.push(page.context());
      await page.goto(server.url + path);
      return page;
    },
    endTest: async () => {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
      expect(faults.splice(0)).toEqual([]);
    },
    stop: async () => {
      await browser.close();
      await server.stop();
      await directory.remove();
    },
  };
}

async function openPage(
  browser: Browser,
  url: string,
  options: { key?: string; width?: number; theme?: string; script?: string; faults: string[] },
): Promise<Page> {
  const { key, width = 1024, theme, script, faults } = options;
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await context.route("**/*", (route) => {
    const asked = route.request().url();
    // What a page has made itself is asked of nobody.
    if (/^(?:blob|data):/.test(asked) || asked.startsWith(`${url}/`)) return route.continue();
    faults.push(`the page asked for ${asked}`);
    return route.abort();
  });
  page.on("pageerror", (error) => faults.push(`the page has thrown ${error.stack}`));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  const stored = { key, theme };
  await page.addInitScript(`{
    const stored = ${JSON.stringify(stored)};
    if (stored.key) sessionStorage.setItem("trawl-api-key", stored.key);
    if (stored.theme) localStorage.setItem("trawl-theme", stored.theme);
  }`);
  if (script !== undefined) await page.addInitScript(script);
  return page;
}

async function expectAccessible(page: Page): Promise<void> {
  // The page's policy lets no script in but its own; the browser's debugger may.
  await page.evaluate(await readFile(AXE, "utf8"));
  const found = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    readonly violations: readonly {
      readonly id: string;
      readonly help: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
    }[];
  };
  const shown = found.violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.slice(0, 5).map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`),
  }));
  expect(shown).toEqual([]);
}
