/**
 * Runs the steps of a Dockerfile in folders, one for each stage, where there is no builder. What
 * base images bring is taken from this machine: Node, and a shell. So no `RUN` may name an absolute
 * path.
 */

import { spawnSync } from "node:child_process";
import { chownSync, copyFileSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { environmentOf, type Instruction, type Stage } from "./dockerfile.ts";

/** Where images of Node have it. */
const IMAGE_NODE = "/usr/local/bin/node";
/** npm prints each package that it installs in trouble. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** The last stage, done. */
export interface ImageFolder {
  /** Its files. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** User and group by number; none where it is the base image's. */
  readonly user: readonly [number, number] | undefined;
  readonly healthcheck: Instruction | undefined;
  readonly command: readonly string[];
}

/** What the steps are run with. */
export interface BuildOptions {
  readonly stages: readonly Stage[];
  /** An empty folder for those of the stages. */
  readonly folder: string;
  /** Puts the files that a build is given into a folder. */
  readonly copyContext: (to: string) => void;
  /** Hears of each step. */
  readonly tell: (line: string) => void;
}

/** Runs all stages and returns the last one. Throws where a step fails. */
export function buildImageFolder(options: BuildOptions): ImageFolder {
  const roots = new Map<string, string>();
  let image: ImageFolder | undefined;
  options.stages.forEach((stage, number) => {
    const root = join(options.folder, stage.name ?? String(number));
    mkdirSync(root, { recursive: true });
    roots.set(stage.name ?? String(number), root);
    image = runStage(stage, root, { ...options, roots });
  });
  if (image === undefined) throw new Error("the Dockerfile has no stage");
  return image;
}

/** A path of the image as one of this machine. */
export function hostPath({ root }: Pick<ImageFolder, "root">, path: string): string {
  return join(root, path);
}

type StageOptions = BuildOptions & { readonly roots: ReadonlyMap<string, string> };

function runStage({ instructions }: Stage, root: string, options: StageOptions): ImageFolder {
  let directory = "/";
  const environment: Record<string, string> = {};
  const last = (name: string) => instructions.findLast((instruction) => instruction.name === name);
  for (const instruction of instructions) {
    const { name, text, words } = instruction;
    options.tell(`${name} ${text}`);
    if (name === "WORKDIR") {
      directory = posix.resolve(directory, words[0]);
      mkdirSync(join(root, directory), { recursive: true });
    } else if (name === "ENV") Object.assign(environment, environmentOf(instruction));
    else if (name === "COPY") copy(instruction, posix.resolve(directory), { ...options, root });
    else if (name === "RUN") run(text, join(root, directory), environment);
  }
  const user = last("USER")?.words[0].split(":").map(Number) as [number, number] | undefined;
  const command = [...(last("ENTRYPOINT")?.words ?? []), ...(last("CMD")?.words ?? [])];
  const healthcheck = last("HEALTHCHECK");
  return { root, environment, workingDirectory: directory, user, healthcheck, command };
}

function copy(
  { flags, words }: Instruction,
  directory: string,
  { root, roots, copyContext }: StageOptions & { readonly root: string },
): void {
  const [from, to] = words;
  const target = join(root, posix.resolve(directory, to));
  mkdirSync(dirname(target), { recursive: true });
  if (flags.from === undefined) {
    if (from !== ".") throw new Error(`COPY ${from}: of the files given, only all can be copied`);
    copyContext(target);
    return;
  }
  const source = roots.get(flags.from);
  if (source === undefined) throw new Error(`COPY --from=${flags.from}: there is no such stage`);
  const path = join(source, from);
  if (from === IMAGE_NODE && !existsSync(path)) copyFileSync(process.execPath, target);
  else cpSync(path, target, { recursive: true });
  const [uid, gid] = (flags.chown ?? "").split(":").map(Number);
  // Only root may give files away.
  if (flags.chown !== undefined && process.getuid?.() === 0) chownSync(target, uid, gid);
}

function run(command: string, cwd: string, environment: Readonly<Record<string, string>>): void {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const result = spawnSync("sh", ["-c", command], {
    cwd,
    env: { ...process.env, ...environment, PATH: path },
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (result.status === 0) return;
  throw new Error(`RUN ${command} failed:\n${result.stdout}${result.stderr}`);
}
