/**
 * `node build-program.ts OUTPUT`: bundles the program into the folder OUTPUT, one file for each
 * module that a process, a thread or another program begins with, and chunks for what these share.
 * See ADR 72.
 *
 * Runtime dependencies stay packages. Any other package is bundled, with its licence beside it.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import { ENTRY_MODULES } from "../src/base/program-files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Folder of the output for shared modules. */
const CHUNKS = "chunks";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

async function buildProgram(outDir: string): Promise<void> {
  const text = readFileSync(join(ROOT, "package.json"), "utf8");
  const { dependencies, peerDependencies } = JSON.parse(text) as Manifest;
  const packages = Object.keys({ ...dependencies, ...peerDependencies });
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: "warn",
    ssr: { noExternal: true, external: packages },
    plugins: [keepDepth],
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: "node24",
      minify: false,
      reportCompressedSize: false,
      license: { fileName: "bundled-licenses.md" },
      rolldownOptions: {
        // A busy machine makes plugins slow, which says nothing about the sources.
        checks: { pluginTimings: false },
        input: Object.fromEntries(ENTRY_MODULES.map((name) => [name, `src/${name}.ts`])),
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
        },
      },
    },
  });
}

/** Refuses output in which a module looks for its files from another depth than in src/. */
const keepDepth = {
  name: "keep-depth",
  generateBundle(_options: unknown, bundle: Rolldown.OutputBundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk" || !file.code.includes("import.meta.url")) continue;
      if (file.fileName.split("/").length !== 2) {
        throw new Error(`${file.fileName} uses import.meta.url; see src/base/program-files.ts`);
      }
    }
  },
};

await buildProgram(process.argv[2]);
