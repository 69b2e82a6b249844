import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { rawConnection } from "../../../test/support/servers/raw-connection.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { endConnection } from "./end-connection.ts";

const server = createServer({ allowHalfOpen: true });

afterEach(() => void server.close());

/** The server's side of a connection, and what its client sees. */
async function accepted(sent: string) {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { readonly port: number };
  const client = rawConnection(`http://127.0.0.1:${port}`, sent);
  const [socket] = (await once(server, "connection")) as [Socket];
  socket.resume();
  while (socket.bytesRead < sent.length) await nextTurn();
  return { client, socket };
}

test("a late client has 408, and one that sent nothing yet keeps its connection", async () => {
  const timeout = { code: "ERR_HTTP_REQUEST_TIMEOUT" };
  const late = await accepted("GET /");
  endConnection(timeout, late.socket, new ManualClock());
  expect(await late.client.closed).toMatch(/^HTTP\/1\.1 408 .*did not arrive in time/s);
  const unused = await accepted("");
  endConnection(timeout, unused.socket, new ManualClock());
  expect(unused.socket.writable).toBe(true);
  unused.socket.end("later");
  expect(await unused.client.closed).toBe("later");
});

test("nothing is written into an answer that has begun", async () => {
  const { client, socket } = await accepted("GET /");
  socket.write("HTTP/1.1 200 OK\r\n");
  Object.assign(socket, { _httpMessage: { headersSent: true } });
  while (client.received() === "") await nextTurn();
  endConnection({ code: "HPE_INVALID_METHOD" }, socket, new ManualClock());
  expect(await client.closed).toBe("HTTP/1.1 200 OK\r\n");
});
