/**
 * `node build-mcp.js OUTPUT`: bundles what the program uses of the official package of the Model
 * Context Protocol into the file OUTPUT, in place of the compiler's, with the licences beside it.
 * It is a program of its own, since the bundler needs a newer Node than the launcher.
 */

import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

async function buildMcp(output) {
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: "warn",
    ssr: { noExternal: true },
    build: {
      ssr: "src/mcp/protocol-package.ts",
      outDir: dirname(output),
      emptyOutDir: false,
      target: "node24",
      minify: true,
      reportCompressedSize: false,
      license: { fileName: "protocol-package-licenses.md" },
      rolldownOptions: { output: { entryFileNames: basename(output), codeSplitting: false } },
    },
  });
}

await buildMcp(process.argv[2]);
