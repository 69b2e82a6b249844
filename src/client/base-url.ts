import { ClientError } from "./client-error.ts";

/** Where a server is if nobody says so: where one started without settings listens. */
export const BASE_URL_DEFAULT = "http://127.0.0.1:8484";

/**
 * Reads the base URL of a server, without a slash at its end. `origin` names where it was given.
 * A path is kept, for regions and proxies; credentials, queries and fragments are refused.
 */
export function parseBaseUrl(text: string, origin: string): string {
  const shown = text.replace(/\/\/[^/@]*@/, "//…@");
  const fault = (rule: string) =>
    new ClientError("usage", `${origin}: ${shown} ${rule}, such as ${BASE_URL_DEFAULT}`);
  if (!URL.canParse(text)) throw fault("is no URL; it must be one with http or https");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw fault("is of another kind than http and https; it must be the server's base URL");
  }
  if (url.username !== "" || url.password !== "") {
    throw fault("must hold no credentials (there is --api-key); it must be the server's base URL");
  }
  if (url.search !== "" || url.hash !== "") {
    throw fault("must have nothing behind its path; it must be the server's base URL");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
