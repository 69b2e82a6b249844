/**
 * What an npm package of Trawl says of itself, made from the clone's own `package.json` and
 * `package-lock.json`. The package has the tested versions of all that it needs, and nothing of
 * what only development needs.
 */

/** The clone's `package.json`, as far as it matters here. */
export interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

/** One package of a lock file. */
export interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly [name: string]: unknown;
}

/** A lock file of npm's format 3. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly [name: string]: unknown;
}

/** Members of the clone's manifest that hold for the package as well. */
const KEPT = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "engines",
  "bin",
  "exports",
  "peerDependencies",
  "peerDependenciesMeta",
];

/**
 * The package's `package.json`. All that it depends on is bundled: who installs it has the tree
 * that was tested, also from a file, where npm heeds no lock of a package.
 */
export function publishedManifest(manifest: Manifest): Record<string, unknown> {
  const { dependencies } = manifest;
  const kept = Object.entries(manifest).filter(([name]) => KEPT.includes(name));
  return {
    ...Object.fromEntries(kept),
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  };
}

/**
 * The lock file by which npm brings what is bundled. The packages that carry Node are not in it:
 * they have some 120 MB, and few need them.
 */
export function runtimeLock(manifest: Manifest, lock: Lock): Lock {
  const { name, version, license, dependencies, bin, engines } = manifest;
  const kept = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);
  const ofNode = Object.keys(manifest.optionalDependencies).map(pathOf);
  const packages = {
    "": { name, version, license, dependencies, bin, engines },
    ...Object.fromEntries(kept.filter(([path]) => !ofNode.includes(path))),
  };
  return { name, version, lockfileVersion: 3, requires: true, packages };
}

/** `package.json` and `package-lock.json` of a folder that only has the packages that carry Node. */
export function nodeFolder(
  { version, optionalDependencies }: Manifest,
  lock: Lock,
): { readonly manifest: Record<string, unknown>; readonly lock: Lock } {
  const root = { name: "trawl-node", version, optionalDependencies };
  const paths = Object.keys(optionalDependencies).map(pathOf);
  const kept = Object.entries(lock.packages).filter(([path]) => paths.includes(path));
  const packages = { "": root, ...Object.fromEntries(kept) };
  return {
    manifest: { ...root, private: true },
    lock: { name: root.name, version, lockfileVersion: 3, requires: true, packages },
  };
}

function pathOf(name: string): string {
  return `node_modules/${name}`;
}
