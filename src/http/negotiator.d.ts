declare module "negotiator" {
  /** What a request's `Accept-…` headers ask for. */
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /** Names by weight, without those of weight 0; of equal weight, `preferred` ones are first. */
    encodings(
      available: readonly string[] | undefined,
      options?: { readonly preferred: readonly string[] },
    ): readonly string[];
    /** Those of `available` that are accepted, by weight; of equal weight in the order given. */
    mediaTypes(available: readonly string[]): readonly string[];
  }
}
