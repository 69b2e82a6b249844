import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;
const LICENSE = /^(?:licen[cs]e|copying)/i;

/**
 * Notes which packages are in what a bundler writes, also for workers, whose bundles the bundler's
 * own list leaves out.
 */
export class BundledLicenses {
  #folders = new Set();

  /** A plugin of the bundler, to be made anew for each bundle. */
  plugin() {
    return {
      name: "bundled-licenses",
      generateBundle: (_options, bundle) => {
        for (const { moduleIds = [] } of Object.values(bundle)) {
          for (const id of moduleIds) {
            const folder = PACKAGE.exec(id.replace(/^\0/, ""))?.[1];
            if (folder !== undefined) this.#folders.add(folder);
          }
        }
      },
    };
  }

  /** The texts of all licences. Throws where a package has none. */
  text() {
    return [...this.#folders]
      .sort()
      .map((folder) => {
        const { name, version, license } = JSON.parse(
          readFileSync(join(folder, "package.json"), "utf8"),
        );
        return `## ${name} ${version} (${license})\n\n${licenseText(folder, name)}\n`;
      })
      .join("\n");
  }
}

function licenseText(folder, name) {
  const file = readdirSync(folder).find((entry) => LICENSE.test(entry));
  if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim();
  const readme = join(folder, "README.md");
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  const at = text.search(/^#+ licen[cs]e/im);
  if (at === -1) throw new Error(`${name} is bundled, and has no text of its licence`);
  return text.slice(at).trim();
}
