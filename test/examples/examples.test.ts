/** The programs of examples/ print what examples/README.md shows, in TypeScript and in Python. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, inject, test } from "vitest";
import { pythonInterpreter } from "../support/docs/python-interpreter.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { hasTool } from "../support/processes/find-tool.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = readFileSync(new URL("../../examples/README.md", import.meta.url), "utf8");
const PYTHON = pythonInterpreter();
const HAS_PYTHON = hasTool(PYTHON, ["-c", "import turbopuffer"]);

/** A program with its arguments, and what it prints. */
const SHOWN = [...README.matchAll(/^```sh\n([\s\S]*?)^```\n```text\n([\s\S]*?)^```$/gm)].flatMap(
  ([, commands, output]) =>
    commands
      .trim()
      .split("\n")
      .map((command): [string, string] => [command, output]),
);

async function run(command: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const [program, ...words] = [...command.matchAll(/"([^"]*)"|\S+/g)].map(
    ([word, quoted]) => quoted ?? word,
  );
  const { stdout } = await promisify(execFile)(
    program === "node" ? process.execPath : PYTHON,
    words,
    {
      cwd: ROOT,
      env: {
        ...productEnvironment(),
        TURBOPUFFER_BASE_URL: inject("serverUrl"),
        TURBOPUFFER_API_KEY: "unused",
        PYTHONIOENCODING: "utf-8",
        ...environment,
      },
    },
  );
  return stdout;
}

describe("each example", () => {
  test("is shown in both languages", () => {
    const programs = SHOWN.map(([command]) => command.split(" ")[0]);
    expect(programs).toEqual(Array.from({ length: 4 }, () => ["node", "python"]).flat());
  });

  const isRun = ([command]: [string, string]) => HAS_PYTHON || command.startsWith("node");
  test.each(SHOWN.filter(isRun))("%s", async (command, output) => {
    expect(await run(command)).toBe(output);
    // It may be run again.
    expect(await run(command)).toBe(output);
  });
});

describe("with a language model", () => {
  const commands = SHOWN.map(([command]) => command).filter((command) => command.includes("/rag/"));
  const isRun = (command: string) => HAS_PYTHON || command.startsWith("node");
  test.each(commands.filter(isRun))("%s", async (command) => {
    const prompts: { path: string | undefined; body: unknown }[] = [];
    const chat = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      prompts.push({ path: request.url, body: JSON.parse(text) });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message: { content: "A stone [faults-2]." } }] }));
    });
    await new Promise<void>((resolve) => chat.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/v1`;
    const printed = await run(command, { CHAT_URL: url, CHAT_MODEL: "small" });
    chat.closeAllConnections();
    chat.close();
    expect(printed).toBe("A stone [faults-2].\n");
    const content = expect.stringMatching(/\[faults-2\] Faults: If the[\s\S]*Why is the grinder/);
    expect(prompts).toEqual([
      {
        path: "/v1/chat/completions",
        body: { model: "small", messages: [{ role: "user", content }] },
      },
    ]);
  });
});
