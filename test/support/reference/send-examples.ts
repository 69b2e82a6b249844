/** Sends the reference's examples to a server, one after the other. */

import { EXAMPLE_VALUES } from "../../../src/reference/examples/api-example.ts";
import type { ApiExample } from "../../../src/reference/examples/examples.ts";
import { listRoutes } from "../../../src/reference/route-list.ts";
import { type RawAnswer, rawCall } from "../servers/sdk-client.ts";

/** What an example was answered. */
export interface SentExample {
  readonly raw: RawAnswer;
  /** As the reference shows it: with its own values for what differs each time. */
  readonly answer: unknown;
}

/** See the file's head. Texts of answers that differ each time go into later requests. */
export class ExampleSender {
  readonly #url: string;
  readonly #key: string;
  /** What stood in answers, by what stands for it in examples. */
  readonly #actual = new Map<string, string>();

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async send(example: ApiExample): Promise<SentExample> {
    const { operation, path, query = {}, headers = {}, body } = example;
    const route = listRoutes().find(({ id }) => id === operation);
    if (route === undefined) throw new Error(`no route has the operation ${operation}`);
    const filled = route.path.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(this.#actual.get(path[name]) ?? path[name]),
    );
    const search = new URLSearchParams(query).toString();
    const ask = () =>
      rawCall(route.method, filled + (search && `?${search}`), body, {
        url: this.#url,
        headers: { authorization: `Bearer ${this.#key}`, ...headers },
      });
    let raw = await ask();
    // An operation that runs on is asked for until it has ended.
    while (operation === "poll_operation" && raw.json.status === "running") raw = await ask();
    return { raw, answer: this.#shown(operation, raw.json) };
  }

  #shown(operation: string, value: unknown, name = ""): unknown {
    if (Array.isArray(value)) return value.map((element) => this.#shown(operation, element, name));
    if (typeof value !== "object" || value === null) {
      const shown = EXAMPLE_VALUES[`${operation}.${name}`] ?? EXAMPLE_VALUES[name];
      if (shown === undefined || typeof shown !== typeof value) return value;
      if (typeof shown === "string") this.#actual.set(shown, String(value));
      return shown;
    }
    const members = Object.entries(value).map(([member, inner]) => [
      member,
      this.#shown(operation, inner, member),
    ]);
    return Object.fromEntries(members);
  }
}
