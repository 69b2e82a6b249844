/**
 * Oldest version of each line of Node that runs Trawl, as minor and patch; scripts/find-node.js,
 * which older Nodes read, has the same table with its reasons.
 */
const NODE_VERSIONS_MIN: ReadonlyMap<number, readonly [minor: number, patch: number]> = new Map([
  [24, [18, 1]],
  [26, [5, 1]],
]);
const NEWEST_LINE = Math.max(...NODE_VERSIONS_MIN.keys());

/** Returns why a version of Node, such as `v24.21.0`, does not run Trawl; undefined if it does. */
export function nodeVersionFault(version: string): string | undefined {
  const [major, minor, patch] = version
    .replace(/^v/, "")
    .split(".")
    .map((text) => Number.parseInt(text, 10));
  const min = NODE_VERSIONS_MIN.get(major);
  const isNewEnough =
    min === undefined
      ? major > NEWEST_LINE
      : minor > min[0] || (minor === min[0] && patch >= min[1]);
  if (isNewEnough) return undefined;
  const versions = [...NODE_VERSIONS_MIN].map(([line, least]) => `${line}.${least.join(".")}`);
  return (
    `this is Node ${version}, and Trawl needs Node ${versions.join(" or ")}, or a newer one of ` +
    "these lines or of a later line"
  );
}
