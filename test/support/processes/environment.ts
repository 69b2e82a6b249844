/**
 * The environment of programs that tests start: settings of the tests, such as seeds, are no
 * settings of the product, which refuses what it does not know.
 */
export function productEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("TRAWL_"));
  return Object.fromEntries(kept);
}
