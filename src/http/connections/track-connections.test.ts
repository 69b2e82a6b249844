import { once } from "node:events";
import { createServer, request } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { TLS_PAIRS } from "../../../test/support/servers/tls-pairs.ts";
import { IdleConnections } from "./idle-connections.ts";
import { trackConnections } from "./track-connections.ts";

const [pair] = TLS_PAIRS;
const LIMITS = { announcedCount: 3, crowdedCount: 3, idleMs: 60_000 };

test("clients that begin no TLS handshake make room for others", async () => {
  const connections = new IdleConnections(LIMITS, new ManualClock());
  const server = createServer(pair, (asked, answer) => {
    connections.begin(asked.socket);
    answer.once("close", () => connections.end(asked.socket));
    answer.end("here");
  });
  trackConnections(server, connections, { isTls: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const silent: Socket[] = [];
  for (let i = 0; i < 5; i++) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    await Promise.all([once(socket, "connect"), once(server, "connection")]);
    silent.push(socket);
  }
  await expect
    .poll(() => silent.map(({ closed }) => closed))
    .toEqual([true, true, false, false, false]);
  const text = await new Promise<string>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, ca: pair.cert, agent: false };
    const asked = request(options, (answer) => {
      answer.once("data", (bytes) => resolve(String(bytes)));
    });
    asked.on("error", reject).end();
  });
  expect(text).toBe("here");
  // The one that was served counts once, as the connection that it has become.
  await expect
    .poll(() => silent.map(({ closed }) => closed))
    .toEqual([true, true, true, false, false]);
  for (const socket of silent) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
