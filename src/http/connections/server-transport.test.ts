import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { pause } from "../../../test/support/clocks/pause.ts";
import { effort } from "../../../test/support/effort.ts";
import { transportOf } from "./server-transport.ts";

test("an idle connection is kept longer than its client is told", async () => {
  const { http } = transportOf(undefined, 50) as { http: object };
  const server = createServer(http, (_message, response) => response.end("answered"));
  server.keepAliveTimeout = 100;
  const accepted: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  for (const answers of [1, 2]) {
    socket.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n");
    await expect.poll(() => received.split("answered").length - 1).toBe(answers);
    // Node by itself would keep it for a second more than it says.
    await expect.poll(() => accepted[0].timeout).toBeGreaterThan(server.keepAliveTimeout + 1_500);
    await pause(effort({ usual: 0, full: 1_500 }));
  }
  expect(socket.readyState).toBe("open");
  socket.destroy();
  server.close();
});
