import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { IdleConnections } from "./idle-connections.ts";

/**
 * Tells `connections` of all that a server has. Where it speaks TLS those count that have not come
 * through their handshake, too: otherwise clients that say nothing would keep others out.
 */
export function trackConnections(
  server: Server,
  connections: IdleConnections,
  { isTls }: { readonly isTls: boolean },
): void {
  server.on("connection", (socket: Socket) => connections.add(socket));
  if (!isTls) return;
  const handshakes = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const place = placeOf(socket);
    handshakes.set(place, socket);
    socket.once("close", () => {
      if (handshakes.get(place) === socket) handshakes.delete(place);
    });
  });
  server.on("secureConnection", (socket: Socket) => {
    const place = placeOf(socket);
    const before = handshakes.get(place);
    handshakes.delete(place);
    if (before === undefined) connections.add(socket);
    else connections.exchange(before, socket);
  });
}

/** No two open connections of one listener have the same. */
function placeOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
