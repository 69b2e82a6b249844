/**
 * Models that are known by name, with their default dimensions (wire contract). Those of others are
 * told by `dims` in the schema or by `--embedding-dimensions`: a wrong guess would fix a
 * namespace's vectors for good.
 */

const DIMENSIONS: ReadonlyMap<string, number> = new Map([
  ["openai/text-embedding-3-small", 1536],
  ["openai/text-embedding-3-large", 3072],
]);

/** Default dimensions of a model; undefined if it is not known by name. */
export function knownDimensions(model: string): number | undefined {
  return DIMENSIONS.get(model);
}

/** Names of the known models, for messages. */
export const KNOWN_MODELS: readonly string[] = [...DIMENSIONS.keys()];
