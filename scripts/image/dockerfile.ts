/** Reads a Dockerfile: as much of its language as deploy/Dockerfile uses, and nothing else. */

/** One instruction of a stage. */
export interface Instruction {
  readonly name: string;
  /** `--from=build` and the like, by name. */
  readonly flags: Readonly<Record<string, string>>;
  /** The words that follow: of the form `["node", "x.js"]` its members, else as divided by spaces. */
  readonly words: readonly string[];
  /** The rest of the instruction as it is written, in one line. */
  readonly text: string;
}

/** What is built from one `FROM` on. */
export interface Stage {
  readonly base: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Those that are understood. */
const NAMES = new Set(
  "ARG FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK STOPSIGNAL ENTRYPOINT CMD".split(
    " ",
  ),
);

/** The stages of a Dockerfile, in order. Throws for what it does not understand. */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  const globals = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const instruction = parseInstruction(line);
    const [first = "", second, third] = instruction.words;
    if (instruction.name === "FROM") {
      const base = first.replace(/\$\{(\w+)\}/g, (_, name: string) => globals.get(name) ?? "");
      const name = second?.toUpperCase() === "AS" ? third : undefined;
      stages.push({ base, name, instructions: [] });
    } else if (stages.length > 0) stages.at(-1)?.instructions.push(instruction);
    else if (instruction.name === "ARG") globals.set(...pairOf(instruction.text));
    else throw new Error(`${line}: only ARG may stand before FROM`);
  }
  return stages;
}

/** The variables that an `ENV` sets; values hold no spaces. */
export function environmentOf({ words }: Instruction): Readonly<Record<string, string>> {
  return Object.fromEntries(words.map(pairOf));
}

/** A command in the form `["node", "x.js"]` that stands behind other words, as in `HEALTHCHECK`. */
export function commandOf({ text }: Instruction): readonly string[] {
  const start = text.indexOf("[");
  if (start < 0) throw new Error(`${text}: say the command as a list, which needs no shell`);
  return JSON.parse(text.slice(start)) as string[];
}

function logicalLines(text: string): string[] {
  const lines = text.split("\n").filter((line) => !/^\s*#/.test(line));
  const joined = lines.join("\n").replaceAll(/\\\n\s*/g, "");
  return joined.split("\n").filter((line) => line.trim() !== "");
}

function parseInstruction(line: string): Instruction {
  const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
  if (!NAMES.has(name)) throw new Error(`${line}: ${name} is not understood`);
  const flags: Record<string, string> = {};
  const text = rest.replaceAll(
    /(?<=^|\s)--([\w-]+)=(\S+)\s*/g,
    (_, flag: string, value: string) => {
      flags[flag] = value;
      return "";
    },
  );
  const words = text.startsWith("[") ? (JSON.parse(text) as string[]) : text.split(/\s+/);
  return { name, flags, words, text };
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at < 0) throw new Error(`${text}: NAME=value was expected`);
  return [text.slice(0, at), text.slice(at + 1)];
}
