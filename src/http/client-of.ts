import type { IncomingHttpHeaders } from "node:http";

/**
 * Who is one client: an IPv4 address, or the network of 64 bits that an IPv6 address is in, which
 * is what one machine is given.
 */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1];
  if (!address.includes(":")) return address;
  const [head, tail] = address.split("%", 1)[0].split("::");
  const groups = head === "" ? [] : head.split(":");
  // Two colons stand for as many zeros as are missing.
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...rest];
  return `${all.slice(0, 4).join(":")}::`;
}

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
