import { describe, expect, test } from "vitest";
import type { ListRequest } from "../object-store.ts";
import { type ListRaw, listS3, type RawPage, S3_PAGE_ENTRIES_MAX } from "./s3-listing.ts";

/** Lists `names` as S3 documents it, and counts requests. */
function service(names: readonly string[]) {
  const requests: ListRequest[] = [];
  const list = async (request: ListRequest): Promise<RawPage> => {
    requests.push(request);
    expect(request.limit).toBeLessThanOrEqual(S3_PAGE_ENTRIES_MAX);
    const { prefix, startAfter = "", limit, delimiter } = request;
    const page = { keys: [] as string[], prefixes: [] as string[], truncated: false };
    for (const name of [...names].sort()) {
      if (!name.startsWith(prefix) || name <= startAfter) continue;
      const slash = delimiter === undefined ? -1 : name.indexOf(delimiter, prefix.length);
      const entry = slash < 0 ? name : name.slice(0, slash + 1);
      if (page.prefixes.includes(entry)) continue;
      if (page.keys.length + page.prefixes.length === limit) {
        page.truncated = true;
        break;
      }
      if (slash < 0) page.keys.push(name);
      else page.prefixes.push(entry);
    }
    return page;
  };
  return { list, requests };
}

describe("a listing over a service's pages", () => {
  test("joins pages, each of at most what a service gives", async () => {
    const names = Array.from({ length: 2_500 }, (_, at) => `n/${String(at).padStart(4, "0")}`);
    const { list, requests } = service(names);
    const page = await listS3({ prefix: "n/", limit: 5_000 }, list);
    expect(page).toEqual({ keys: names, prefixes: [], truncated: false });
    expect(requests.map(({ startAfter }) => startAfter)).toEqual(["", names[999], names[1_999]]);
    const part = await listS3({ prefix: "n/", limit: 1_500 }, list);
    expect(part).toEqual({ keys: names.slice(0, 1_500), prefixes: [], truncated: true });
  });

  test("passes over names that are no keys, and comes to its end", async () => {
    const names = ["a", "b c", "d/e f", "d/x", "ä/1", "ä/ü", "z/ü", "ü"];
    const { list } = service(names);
    for (const limit of [1, 2, 3, 9]) {
      const keys: string[] = [];
      const prefixes: string[] = [];
      for (let startAfter = "", rounds = 0; ; rounds++) {
        expect(rounds).toBeLessThan(20);
        const page = await listS3({ prefix: "", startAfter, limit, delimiter: "/" }, list);
        keys.push(...page.keys);
        prefixes.push(...page.prefixes);
        if (!page.truncated) break;
        const last = page.prefixes.at(-1);
        const key = page.keys.at(-1) ?? "";
        startAfter = last !== undefined && last > key ? `${last}~` : key;
      }
      expect({ keys, prefixes }).toEqual({ keys: ["a"], prefixes: ["d/", "z/"] });
    }
  });

  test("an end of a page behind a folder costs no request of its own", async () => {
    const { list, requests } = service(["b/1", "b/2", "c"]);
    const listAfter = (startAfter: string) =>
      listS3({ prefix: "", startAfter, limit: 9, delimiter: "/" }, list);
    expect(await listAfter("b/~")).toEqual({ keys: ["c"], prefixes: [], truncated: false });
    expect(requests).toHaveLength(1);
    expect(await listAfter("b/1")).toEqual({ keys: ["c"], prefixes: ["b/"], truncated: false });
    expect(requests).toHaveLength(3);
  });

  test("goes on behind empty pages, where the service passes over what was deleted", async () => {
    const all = Array.from({ length: 90 }, (_, at) => `n/${String(at).padStart(2, "0")}/x`);
    const names = all.filter((_, at) => at % 40 < 2);
    // Looks at ten names for each page, of which most were deleted.
    const list: ListRaw = async ({ prefix, startAfter = "", limit, delimiter, token }) => {
      const from = token === undefined ? all.findIndex((name) => name > startAfter) : Number(token);
      const looked = all.slice(from < 0 ? all.length : from).slice(0, 10);
      const found = looked.filter((name) => names.includes(name) && name.startsWith(prefix));
      const end = from < 0 ? all.length : from + looked.length;
      const rest = { truncated: end < all.length, token: String(end) };
      if (delimiter === undefined) return { keys: found.slice(0, limit), prefixes: [], ...rest };
      const prefixes = found.map((name) => name.slice(0, "n/00/".length));
      return { keys: [], prefixes: prefixes.slice(0, limit), ...rest };
    };
    const request = { prefix: "n/", limit: 100 };
    expect((await listS3(request, list)).keys).toEqual(names);
    const folded = await listS3({ ...request, delimiter: "/" }, list);
    expect(folded.prefixes).toEqual(names.map((name) => name.slice(0, -1)));
    const startAfter = "n/02/x";
    expect((await listS3({ ...request, startAfter }, list)).keys).toEqual(names.slice(2));
    const inFolder = await listS3({ ...request, startAfter, delimiter: "/" }, list);
    expect(inFolder.prefixes).toEqual(folded.prefixes.slice(2));
    const stuck = async () => ({ keys: [], prefixes: [], truncated: true, token: "1" });
    await expect(listS3(request, stuck)).rejects.toThrow(/does not go on/);
  });

  test("a service that always starts again is an error, not an endless loop", async () => {
    const again = async () => ({ keys: ["a", "b"], prefixes: [], truncated: true });
    await expect(listS3({ prefix: "", limit: 100 }, again)).rejects.toThrow(/does not go on/);
  });
});
