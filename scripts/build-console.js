/**
 * `node build-console.js OUTPUT`: bundles console/ for browsers into the folder OUTPUT, compressed
 * files beside. It is a program of its own, since the bundler needs a newer Node than the launcher.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { BundledLicenses } from "./bundled-licenses.js";
import { compressPages } from "./compress-pages.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Browsers from which on `JSON.parse` tells how a number was written: ids have 64 bits. */
const BROWSERS = ["chrome114", "edge114", "firefox135", "safari18.4"];

/**
 * What files of `trawl import` take from Node that run in the console's thread of imports as well:
 * there, a package stands for it.
 */
const NODE_GLOBALS = { Buffer: ["buffer", "Buffer"] };

/**
 * Paths are absolute, since a deep link is served the same page. Nothing is inlined: the pages'
 * policy allows no data URLs for scripts and styles.
 */
async function buildConsole(output) {
  const licenses = new BundledLicenses();
  await build({
    configFile: false,
    root: join(ROOT, "console"),
    base: "/console/",
    publicDir: false,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    plugins: [licenses.plugin()],
    worker: {
      format: "es",
      plugins: () => [licenses.plugin()],
      rolldownOptions: { transform: { inject: NODE_GLOBALS } },
    },
    build: {
      outDir: output,
      emptyOutDir: true,
      target: BROWSERS,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The largest parts are loaded when they are opened; the first load has a test of its own.
      chunkSizeWarningLimit: 1024,
    },
  });
  writeFileSync(join(output, "licenses.txt"), licenses.text());
  compressPages(output);
}

await buildConsole(process.argv[2]);
