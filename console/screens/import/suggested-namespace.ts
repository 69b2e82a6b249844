/** UTF-16 units of a name that is proposed; whoever wants a longer one types it. */
const NAME_CHARS_MAX = 64;

/**
 * A name for the namespace of a file: that of the file without its endings, with only what
 * namespaces may have in their names. Empty where nothing is left.
 */
export function suggestedNamespace(fileName: string): string {
  const [stem = ""] = fileName.split(".");
  return stem
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, NAME_CHARS_MAX);
}
