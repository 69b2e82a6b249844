import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { answerJson, type JsonHandler } from "../../test/support/servers/json-service.ts";
import { faultOf, scriptedService } from "../../test/support/servers/scripted-service.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { EmbeddingRateLimit } from "./embedding-rate-limit.ts";
import { HttpEmbeddingProvider } from "./http-embedding-provider.ts";

interface SentBody {
  readonly model: string;
  readonly input: string[];
  readonly dimensions?: number;
}

type Handler = JsonHandler<SentBody>;

const service = scriptedService<SentBody>();

/** A clock whose short waits take no time; a request's timeout never comes. */
const hasty: Clock = {
  ...systemClock,
  sleep: (ms, signal) => (ms < 10_000 ? Promise.resolve() : systemClock.sleep(2 ** 30, signal)),
};

function provider(options: Partial<ConstructorParameters<typeof HttpEmbeddingProvider>[0]> = {}) {
  const dimensions = new Map([["small", 3]]);
  return new HttpEmbeddingProvider({
    url: `${service.url}/v1/`,
    clock: hasty,
    dimensions,
    ...options,
  });
}

/** Vectors that say how long each text was, in reverse order. */
const lengths: Handler = (body, response) => {
  const data = body.input.map((text, index) => ({ index, embedding: [text.length, 0.5, -1] }));
  answerJson(response, 200, { data: data.reverse(), usage: { total_tokens: 7 } });
};

function failing(status: number, message: string, headers = {}): Handler {
  return (_body, response) => answerJson(response, status, { error: { message } }, headers);
}

const REQUEST = { model: "small", texts: ["a", "bcd"], dimensions: 3 };

test("texts become vectors in their order, with the tokens that the service counted", async () => {
  let authorization: string | undefined;
  service.handlers = [
    (body, response, request) => {
      ({ authorization } = request.headers);
      expect(request.url).toBe("/v1/embeddings");
      lengths(body, response, request);
    },
  ];
  const { vectors, tokens } = await provider({ apiKey: "secret" }).embed(REQUEST);
  expect(vectors).toEqual([Float32Array.of(1, 0.5, -1), Float32Array.of(3, 0.5, -1)]);
  expect(tokens).toBe(7);
  expect(authorization).toBe("Bearer secret");
  expect(service.bodies).toEqual([
    { model: "small", input: ["a", "bcd"], encoding_format: "float" },
  ]);
});

test("dimensions are sent where they are not the model's own", async () => {
  service.handlers = [lengths];
  await provider().embed({ model: "openai/text-embedding-3-small", texts: ["a"], dimensions: 3 });
  expect(service.bodies[0]).toMatchObject({
    model: "openai/text-embedding-3-small",
    dimensions: 3,
  });
});

test("many texts go in several requests", async () => {
  service.handlers = [lengths];
  const texts = Array.from({ length: 70 }, (_, i) => "x".repeat(i + 1));
  const { vectors, tokens } = await provider().embed({ ...REQUEST, texts });
  expect(vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length));
  expect(service.bodies.map(({ input }) => input.length)).toEqual([32, 32, 6]);
  expect(tokens).toBe(21);
});

test("faults that may pass are tried again", async () => {
  const cut: Handler = (_body, response) => response.destroy();
  service.handlers = [failing(503, "busy"), cut, lengths];
  expect((await provider().embed(REQUEST)).vectors).toHaveLength(2);
  expect(service.bodies).toHaveLength(3);
  service.handlers = [failing(500, "broken")];
  const fault = await faultOf(provider().embed(REQUEST));
  expect(fault.code).toBe("unavailable");
  expect(fault.message).toContain("broken");
  expect(service.bodies).toHaveLength(6);
});

test.each<[string, Handler, string, string]>([
  [
    "an overloaded service",
    failing(429, "slow down", { "retry-after": "2" }),
    "overloaded",
    "slow down",
  ],
  ["a refused key", failing(401, "bad key"), "unavailable", "bad key"],
  ["an unknown model", failing(404, "no such model"), "invalid", "no such model"],
  [
    "an answer that is no JSON",
    (_body, response) => answerJson(response, 200, "hello"),
    "unavailable",
    "no JSON",
  ],
  [
    "an answer without vectors",
    (_body, response) => answerJson(response, 200, { data: [] }),
    "unavailable",
    "2 texts gave 0 vectors",
  ],
  [
    "vectors of other dimensions",
    (_body, response) =>
      answerJson(response, 200, {
        data: [
          { index: 0, embedding: [1] },
          { index: 1, embedding: [1] },
        ],
      }),
    "invalid",
    "gave 1 dimensions, but the attribute has 3 dimensions",
  ],
  [
    "vectors that hold no numbers",
    (_body, response) =>
      answerJson(response, 200, { data: [{ embedding: ["a", 1, 2] }, { embedding: [1, 2, 3] }] }),
    "unavailable",
    "something else than numbers",
  ],
  [
    "an index twice",
    (_body, response) =>
      answerJson(response, 200, {
        data: [
          { index: 0, embedding: [1, 2, 3] },
          { index: 0, embedding: [1, 2, 3] },
        ],
      }),
    "unavailable",
    "an index is missing",
  ],
])("%s is reported", async (_name, handler, code, text) => {
  service.handlers = [handler];
  const fault = await faultOf(provider().embed(REQUEST));
  expect(fault.message).toContain(text);
  expect(fault.code).toBe(code);
});

test.each([
  [401, failing(401, "bad key of org-7"), "(401)"],
  [500, failing(500, "upstream 10.1.2.3"), "answers 500"],
  [429, failing(429, "limit of org-7"), "is overloaded"],
  [
    404,
    (_body: unknown, response: Parameters<Handler>[1]) =>
      void response.writeHead(404).end("<html>proxy 10.1.2.3"),
    "failed (404)",
  ],
])("the message of a service with %i is for logs alone", async (_status, handler, told) => {
  service.handlers = [handler];
  const fault = await faultOf(provider().embed(REQUEST));
  expect(fault.message).toMatch(/10\.1\.2\.3|org-7/);
  expect(fault.clientMessage).toContain(told);
  expect(fault.clientMessage).not.toMatch(/10\.1\.2\.3|org-7/);
});

test("the message of a service about a text is for clients", async () => {
  service.handlers = [failing(400, "no such input")];
  const fault = await faultOf(provider().embed(REQUEST));
  expect([fault.message, fault.clientMessage]).toEqual([
    expect.stringContaining("no such input"),
    undefined,
  ]);
});

test("the time to wait comes from the service", async () => {
  service.handlers = [failing(429, "slow down", { "retry-after": "2" })];
  expect((await faultOf(provider().embed(REQUEST))).retryAfterMs).toBe(2000);
  service.handlers = [failing(429, "slow down", { "retry-after-ms": "150" })];
  expect((await faultOf(provider().embed(REQUEST))).retryAfterMs).toBe(150);
  expect(service.bodies).toHaveLength(2);
});

test("texts that are too long for the model are cut until it takes them", async () => {
  const picky: Handler = (body, response, request) => {
    const longest = Math.max(...body.input.map((text) => text.length));
    if (longest > 10_000)
      failing(400, "maximum context length is 8192 tokens")(body, response, request);
    else lengths(body, response, request);
  };
  service.handlers = [picky];
  const { vectors } = await provider().embed({ ...REQUEST, texts: ["x".repeat(100_000), "short"] });
  expect(vectors.map(([length]) => length)).toEqual([8192, 5]);
});

test("a service that does not answer in time is given up", async () => {
  service.handlers = [() => undefined];
  const impatient: Clock = { ...systemClock, sleep: () => systemClock.sleep(20) };
  const fault = await faultOf(provider({ clock: impatient }).embed(REQUEST));
  expect(fault.code).toBe("unavailable");
  expect(fault.message).toContain("does not answer within");
});

test("a service that is not there is reported", async () => {
  const gone = provider({ url: "http://127.0.0.1:1" });
  const fault = await faultOf(gone.embed(REQUEST));
  expect(fault.code).toBe("unavailable");
  expect(fault.message).toContain("cannot be reached");
});

test("a client that goes away ends the request", async () => {
  const client = new AbortController();
  service.handlers = [() => client.abort(new Error("gone"))];
  await expect(provider().embed(REQUEST, client.signal)).rejects.toThrow("gone");
  expect(service.bodies).toHaveLength(1);
});

test("an endless answer is cut off", async () => {
  service.handlers = [
    (_body, response) => {
      const part = Buffer.alloc(1 << 20, "x");
      const more = () => {
        while (!response.destroyed && response.write(part));
      };
      response.on("drain", more);
      more();
    },
  ];
  expect((await faultOf(provider().embed(REQUEST))).message).toContain("sends more than");
});

test("the rate limit counts requests and tokens of each model", async () => {
  const clock = new InstantClock();
  const rates = { requestsPerMinute: 2, tokensPerMinute: 100 };
  const limit = new EmbeddingRateLimit(clock, rates);
  limit.take("a", 10);
  limit.take("a", 10);
  limit.take("b", 100);
  const requests = await faultOf(Promise.resolve().then(() => limit.take("a", 10)));
  expect(requests.code).toBe("overloaded");
  expect(requests.retryAfterMs).toBe(30_000);
  const tokens = await faultOf(Promise.resolve().then(() => limit.take("b", 50)));
  expect(tokens.retryAfterMs).toBe(30_000);
  await clock.sleep(30_000);
  limit.take("a", 10);
  limit.settle("b", 100, 20);
  limit.take("b", 100);
});
