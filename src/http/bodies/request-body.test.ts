import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { BodyBudget } from "./body-budget.ts";
import { BodyStalled, RequestBody, UnsupportedEncoding } from "./request-body.ts";

/** Milliseconds that a body may make no progress. */
const STALL_MS = 30_000;

function messageOf(headers: Record<string, string> = {}): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.headers = headers;
  return message;
}

/** Sends the rest of a body. */
function end(message: IncomingMessage, ...chunks: (Uint8Array | string)[]): void {
  for (const chunk of chunks) message.push(chunk);
  message.complete = true;
  message.push(null);
}

function bodyOf(
  message: IncomingMessage,
  { bytesMax = 1000, budget = new BodyBudget(10_000), beforeRead = () => {} } = {},
): RequestBody {
  return new RequestBody(message, { bytesMax, budget, beforeRead, client: "c", namespace: "n" });
}

async function textOf(body: RequestBody): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a body", () => {
  test("comes as it was sent, at once or bit by bit", async () => {
    const whole = messageOf({ "content-length": "6" });
    end(whole, "abcdef");
    expect(await textOf(bodyOf(whole))).toBe("abcdef");
    const slow = messageOf();
    const body = bodyOf(slow);
    const text = textOf(body);
    for (const part of ["ab", "cd"]) {
      slow.push(part);
      await turn();
    }
    end(slow, "ef");
    expect(await text).toBe("abcdef");
    expect([body.bytesReceived, body.fault]).toEqual([6, undefined]);
  });

  test("that is here to its declared end needs no word of the parser", async () => {
    const message = messageOf({ "content-length": "6" });
    message.push("abc");
    message.push("def");
    const body = bodyOf(message);
    // Neither `complete` nor the end of the stream has come.
    expect(await textOf(body)).toBe("abcdef");
    expect([body.bytesReceived, body.fault]).toEqual([6, undefined]);
  });

  test("that is absent is empty", async () => {
    const message = messageOf();
    end(message);
    expect(await textOf(bodyOf(message))).toBe("");
  });

  test("is asked for when it is read, and not before", async () => {
    const asked: string[] = [];
    const message = messageOf();
    const body = bodyOf(message, { beforeRead: () => asked.push("now") });
    expect(asked).toEqual([]);
    end(message, "x");
    await textOf(body);
    expect(asked).toEqual(["now"]);
  });

  test("in gzip comes decompressed, however it is cut", async () => {
    const random = testRandom();
    const packed = Buffer.concat([gzipSync("x".repeat(500)), gzipSync("y".repeat(300))]);
    for (let round = 0; round < 20; round++) {
      const message = messageOf({ "content-encoding": round % 2 === 0 ? "gzip" : "X-GZIP" });
      const body = bodyOf(message);
      const text = textOf(body);
      for (let start = 0; start < packed.length; ) {
        const stop = start + 1 + random.below(40);
        message.push(packed.subarray(start, stop));
        start = stop;
        if (random.below(2) === 0) await turn();
      }
      end(message);
      expect(await text).toBe("x".repeat(500) + "y".repeat(300));
      expect(body.bytesReceived).toBe(800);
    }
  });

  test.each(["no gzip", gzipSync("x".repeat(9000)).subarray(0, 20)])(
    "that is broken gzip is the client's fault, %#",
    async (bytes) => {
      const message = messageOf({ "content-encoding": "gzip" });
      end(message, bytes);
      const body = bodyOf(message);
      await expect(textOf(body)).rejects.toThrow("Failed to decompress the gzip request body: ");
      expect(body.fault).toMatchObject({ code: "invalid" });
    },
  );

  test.each(["br", "zstd", "gzip, gzip"])("in %s is not read", (encoding) => {
    expect(() => bodyOf(messageOf({ "content-encoding": encoding }))).toThrow(UnsupportedEncoding);
  });
});

describe("the limit", () => {
  test("holds for the length that is declared, before a byte is read", () => {
    expect(() => bodyOf(messageOf({ "content-length": "1001" }))).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
    expect(() => bodyOf(messageOf({ "content-length": "1000" }))).not.toThrow();
  });

  test("holds for what comes, to the byte, decompressed", async () => {
    for (const [bytes, isGzip] of [
      [1000, false],
      [1001, false],
      [1000, true],
      [1001, true],
    ] as const) {
      const message = messageOf(isGzip ? { "content-encoding": "gzip" } : {});
      const sent = "x".repeat(bytes);
      end(message, isGzip ? gzipSync(sent) : sent);
      const body = bodyOf(message);
      if (bytes === 1000) expect(await textOf(body)).toBe(sent);
      else await expect(textOf(body)).rejects.toMatchObject({ code: "too_large" });
      expect(body.fault?.message).toEqual(bytes === 1000 ? undefined : expect.any(String));
    }
  });
});

describe("the budget", () => {
  test("is charged with what has come, not with what is declared, and given back", async () => {
    const budget = new BodyBudget(500);
    const message = messageOf({ "content-length": "200" });
    const body = bodyOf(message, { budget });
    const text = textOf(body);
    expect(budget.bytesUsed).toBe(0);
    message.push("x".repeat(150));
    await turn();
    expect(budget.bytesUsed).toBe(150);
    end(message, "x".repeat(50));
    await text;
    expect(budget.bytesUsed).toBe(200);
    body.release();
    body.release();
    expect(budget.bytesUsed).toBe(0);
  });

  test("refuses what does not fit now for a while, and what never fits for good", async () => {
    const budget = new BodyBudget(500);
    const first = messageOf();
    end(first, "x".repeat(150));
    await textOf(bodyOf(first, { budget }));
    expect(() => bodyOf(messageOf({ "content-length": "101" }), { budget })).toThrow(
      expect.objectContaining({ code: "overloaded", retryAfterMs: 1000 }),
    );
    expect(() => bodyOf(messageOf({ "content-length": "251" }), { budget })).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
    expect(budget.bytesUsed).toBe(150);
  });

  test("goes to the older of two bodies of a client, and the younger one ends", async () => {
    const budget = new BodyBudget(1000);
    const messages = [messageOf(), messageOf()];
    const bodies = messages.map((message) => bodyOf(message, { budget }));
    const texts = bodies.map((body) => textOf(body));
    const refused = expect(texts[1]).rejects.toMatchObject({ code: "overloaded" });
    for (const message of messages) message.push("x".repeat(200));
    await turn();
    end(messages[0], "x".repeat(250));
    expect((await texts[0]).length).toBe(450);
    await refused;
    expect(bodies[1].fault).toMatchObject({ code: "overloaded" });
    expect(budget.bytesUsed).toBe(450);
    for (const body of bodies) body.release();
    expect(budget.bytesUsed).toBe(0);
  });
});

describe("a client that stops sending", () => {
  test("is waited for so long, and no longer", async () => {
    const message = messageOf();
    const body = bodyOf(message);
    const text = textOf(body);
    await turn();
    body.tick(STALL_MS - 1);
    await turn();
    expect(body.fault).toBeUndefined();
    body.tick(1);
    await expect(text).rejects.toThrow(BodyStalled);
    expect(body.fault).toBeInstanceOf(BodyStalled);
  });

  test("is one that sends next to nothing, too", async () => {
    const message = messageOf();
    const body = bodyOf(message, { bytesMax: 1_000_000, budget: new BodyBudget(2_000_000) });
    const text = textOf(body);
    const lost = expect(text).rejects.toThrow("the request body made no progress for 30 s");
    const send = async (bytes: number) => {
      message.push("x".repeat(bytes));
      await turn();
      await turn();
    };
    await turn();
    for (let round = 0; round < 5; round++) {
      body.tick(STALL_MS - 1);
      await send(30 * 1024);
    }
    expect(body.fault).toBeUndefined();
    body.tick(STALL_MS - 1);
    await send(30 * 1024 - 1);
    body.tick(1);
    await lost;
  });

  test("is not blamed for the time that its reader takes", async () => {
    const message = messageOf();
    const body = bodyOf(message);
    const chunks = body.chunks();
    message.push("x");
    await chunks.next();
    body.tick(10 * STALL_MS);
    end(message, "y");
    expect((await chunks.next()).value).toEqual(Buffer.from("y"));
    expect((await chunks.next()).done).toBe(true);
    expect(body.fault).toBeUndefined();
  });
});
