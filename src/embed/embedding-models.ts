/** Models that are known by name, with the dimensions that their makers document as default. */

const DIMENSIONS: ReadonlyMap<string, number> = new Map([
  ["openai/text-embedding-3-small", 1536],
  ["openai/text-embedding-3-large", 3072],
  ["voyage/voyage-4", 1024],
  ["cohere/embed-v4.0", 1536],
  ["qwen/qwen3-embedding-8b", 4096],
  ["nvidia/nemotron-3-embed-8b", 4096],
]);

/** Default dimensions of a model; undefined if it is not known by name. */
export function knownDimensions(model: string): number | undefined {
  return DIMENSIONS.get(model);
}

/** Names of the known models, for messages. */
export const KNOWN_MODELS: readonly string[] = [...DIMENSIONS.keys()];
