import type { IncomingHttpHeaders } from "node:http";

/** Headers by which proxies tell of whom a request is. */
const FORWARDED = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

/**
 * Tells whether a request comes from this machine. What a proxy on it has passed on does not, or
 * everybody behind the proxy would be taken for its owner.
 */
export function isLocalClient(address: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  if (address === undefined) return false;
  return address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address);
}
