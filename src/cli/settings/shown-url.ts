/** A URL, or what was meant to be one, as messages quote it: without a name and a password. */
export function shownUrl(text: string): string {
  const authority = text.indexOf("//") + 2;
  const at = text.lastIndexOf("@");
  return authority < 2 || at < authority ? text : `${text.slice(0, authority)}…${text.slice(at)}`;
}
