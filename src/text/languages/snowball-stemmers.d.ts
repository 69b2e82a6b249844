declare module "snowball-stemmers" {
  /** Makes a stemmer; `stem` takes a lower-case word. */
  export function newStemmer(language: string): { stem(word: string): string };
}
