/** Looks who listens where the server is to listen, and what time a bucket's service has. */

import { once } from "node:events";
import https from "node:https";
import { createServer } from "node:net";
import { ApiClient } from "../../client/api-client.ts";
import type { ClientError } from "../../client/client-error.ts";
import type { ExamineOptions } from "./examine-store.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** How long a service may take to answer. */
const ANSWER_MS_MAX = 5_000;

/** Errors of listening on an address, with their fixes. */
const LISTEN_FAULTS: Readonly<Record<string, readonly [seen: string, cure: string]>> = {
  EADDRNOTAVAIL: ["this machine does not have the address", "choose another --host"],
  ENOTFOUND: ["the host name is unknown", "choose another --host"],
  EACCES: ["this user may not listen there", "choose a --port of 1024 or above"],
};

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Whether the address is free, or else who is there. */
export async function examineAddress(
  { host, port }: ListenAddress,
  options: ExamineOptions,
): Promise<Finding> {
  const shown = `${host} port ${port}`;
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    server.close();
    return ok("address", `${shown} is free`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") return examineServer({ host, port }, options);
    const [seen, cure] = LISTEN_FAULTS[code ?? ""] ?? [message, "choose another --host or --port"];
    return fault("address", `cannot listen on ${shown}: ${seen}`, cure);
  }
}

/** The time of the service at a URL, by its answers; undefined where it tells none. */
export async function serviceTimeMs(url: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const response = await fetch(url, { method: "HEAD", redirect: "manual", signal });
    const ms = Date.parse(response.headers.get("date") ?? "");
    return Number.isNaN(ms) ? undefined : ms;
  } catch {
    return undefined; // What cannot be reached is told about the store.
  }
}

async function examineServer(
  { host, port }: ListenAddress,
  { clock, random }: ExamineOptions,
): Promise<Finding> {
  const name = /^(?:0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host;
  const url = `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
  const client = new ApiClient({ url, clock, random, silenceMsMax: ANSWER_MS_MAX });
  try {
    const ready = { method: "GET", path: "/readyz", once: true } as const;
    await client.json(ready);
    return ok("address", `a server is there and ready: ${url}`);
  } catch (error) {
    const { kind, message } = error as ClientError;
    if (kind === "refused") {
      return warning("address", `a server is at ${url}, but not ready: ${message}`, "read its log");
    }
    const status = await tlsStatus({ host: name, port });
    const tlsUrl = url.replace("http:", "https:");
    if (status === 200) return ok("address", `a server is there and ready: ${tlsUrl}`);
    if (status === 503) {
      return warning("address", `a server is at ${tlsUrl}, but not ready`, "read its log");
    }
    const seen = `${host} port ${port} is in use by another program`;
    return fault("address", seen, "choose another --port, or 0 for a free one");
  } finally {
    client.close();
  }
}

/**
 * Returns the HTTP status of a TLS server, whoever signed its certificate; undefined if there is
 * none.
 */
function tlsStatus({ host, port }: ListenAddress): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { host, port, path: "/readyz", rejectUnauthorized: false, agent: false };
    const asked = https.get({ ...options, timeout: ANSWER_MS_MAX }, (answer) => {
      answer.resume();
      const isApi = /json/.test(answer.headers["content-type"] ?? "");
      resolve(isApi ? answer.statusCode : undefined);
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer")));
    asked.on("error", () => resolve(undefined));
  });
}
