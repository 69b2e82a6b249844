/** Examples of the pages of docs/: one request in several languages, and the answer that is shown. */

/** What a reader may copy, by language. */
export interface DocExample {
  /** `page.md: heading (n)`, for messages. */
  readonly name: string;
  readonly page: string;
  /** curl commands. */
  readonly sh: string | undefined;
  /** TypeScript with the official client. */
  readonly ts: string | undefined;
  /** Python with the official client. */
  readonly python: string | undefined;
  /** Part of the last answer; undefined where none is shown. */
  readonly answer: unknown;
}

type Language = "sh" | "ts" | "python";

const LANGUAGES: ReadonlySet<string> = new Set(["sh", "ts", "python"]);

/**
 * The examples of a page, in order. Blocks that follow each other in different languages are one
 * example, and a block of JSON behind them is its answer; prose or a heading between them ends it.
 * Blocks of commands that call no server by curl are none.
 */
export function readExamples(page: string, text: string): DocExample[] {
  const examples: DocExample[] = [];
  let heading = "";
  let open = new Map<Language, string>();
  const end = (answer?: unknown) => {
    if (open.size > 0) {
      const [sh, ts, python] = [open.get("sh"), open.get("ts"), open.get("python")];
      const name = `${page}: ${heading} (${examples.length + 1})`;
      examples.push({ name, page, sh, ts, python, answer });
    }
    open = new Map();
  };
  for (const part of text.matchAll(/^(#+) (.*)$|^```(\w*)\n([\s\S]*?)^```$|^\S.*$/gm)) {
    const [, level, title, language, block] = part;
    if (language === "json") {
      if (open.size === 0) throw new Error(`${page}: an answer without a request: ${block}`);
      end(JSON.parse(block));
    } else if (language !== undefined && LANGUAGES.has(language)) {
      if (language === "sh" && !block.includes("curl ")) continue;
      if (open.has(language as Language)) end();
      open.set(language as Language, block);
    } else {
      end();
      if (level !== undefined) heading = title;
    }
  }
  end();
  return examples;
}

/** A request that a curl command sends. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

const CURL = /curl (?:-X ([A-Z]+) )?(http\S+)((?: \\?\s*-H '[^']*')*)(?: \\?\s*-d '([^']*)')?/g;

/** The requests of a block of curl commands, as curl sends them; fails where it cannot read one. */
export function curlRequests(block: string): CurlRequest[] {
  const requests = [...block.matchAll(CURL)].map(([, method, url, headers, body]) => ({
    method: method ?? (body === undefined ? "GET" : "POST"),
    url,
    headers: Object.fromEntries([
      // curl's own content type of bodies.
      ...(body === undefined ? [] : [["content-type", "application/x-www-form-urlencoded"]]),
      ...[...headers.matchAll(/'([^:']+): ([^']*)'/g)].map(([, name, value]) => [name, value]),
    ]) as Record<string, string>,
    body,
  }));
  if (requests.length !== block.split("curl ").length - 1) {
    throw new Error(`not all curl commands are understood:\n${block}`);
  }
  return requests;
}
