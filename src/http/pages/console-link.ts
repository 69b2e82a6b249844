/** The link to the console in the header of each page of the documentation, as it is built. */
export const CONSOLE_LINK = '<a class="console" href="/console/">Console</a>\n';

/** A page as a server sends it that has no console: a link to it would lead nowhere. */
export function withoutConsoleLink(html: string): string {
  return html.replace(CONSOLE_LINK, "");
}
