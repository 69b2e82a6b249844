/** Builds what the sources have changed, before the first test of a project. */

import { fileURLToPath } from "node:url";

const { build } = (await import(new URL("../../scripts/build.js", import.meta.url).href)) as {
  readonly build: (root: string) => void;
};

export default function setup(): void {
  build(fileURLToPath(new URL("../..", import.meta.url)));
}
