/** The files of deploy/ are what their programs take, and name what there is. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environmentName, SETTINGS } from "../../src/cli/settings/setting-table.ts";
import { hasTool } from "../support/processes/find-tool.ts";

const NAMES = SETTINGS.map(environmentName);
const FILES = [
  "deploy/Dockerfile",
  "deploy/compose.yaml",
  "deploy/trawl.service",
  "deploy/helm/trawl/templates/servers.yaml",
  "docs/deploy.md",
];

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function run(program: string, args: readonly string[], input = ""): Run {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input });
  return { code: status, output: stdout + stderr };
}

/** YAML as JavaScript has it, read by Python. */
function parseYaml(text: string): unknown {
  const script = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))";
  const { code, output } = run("python3", ["-c", script], text);
  expect(code, output).toBe(0);
  return JSON.parse(output);
}

const hasYaml = hasTool("python3", ["-c", "import yaml"]);

test.each(FILES)("%s names settings that there are", (path) => {
  const named = readFileSync(path, "utf8").match(/\bTRAWL_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !NAMES.includes(name))).toEqual([]);
});

describe.runIf(hasYaml)("deploy/compose.yaml", () => {
  interface Service {
    readonly build?: { readonly context: string; readonly dockerfile: string };
    readonly volumes?: readonly string[];
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly environment?: Readonly<Record<string, string>>;
    readonly healthcheck?: object;
    readonly ports?: readonly string[];
  }
  const [compose] = parseYaml(readFileSync("deploy/compose.yaml", "utf8")) as [
    { services: Record<string, Service>; volumes: Record<string, unknown> },
  ];
  const { services, volumes } = compose;

  test("uses volumes and services that it declares", () => {
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        expect(Object.keys(volumes)).toContain(volume.split(":")[0]);
      }
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(Object.keys(services)).toContain(name);
        if (condition === "service_healthy") expect(services[name].healthcheck).toBeDefined();
      }
    }
  });

  test("has the data in one place, on the address of the S3 server", () => {
    const { environment = {} } = services.trawl;
    expect(environment.TRAWL_DATA_DIR).toBe("");
    expect(new URL(environment.TRAWL_S3_ENDPOINT).hostname).toBe("s3");
    const bucket = environment.TRAWL_OBJECT_STORE.split("/")[2];
    expect(JSON.stringify(services.bucket)).toContain(`s3/${bucket}`);
  });

  test("builds the image of this project and asks for secrets", () => {
    expect(services.trawl.build).toEqual({ context: "..", dockerfile: "deploy/Dockerfile" });
    for (const name of ["TRAWL_API_KEY", "AWS_SECRET_ACCESS_KEY"]) {
      expect(services.trawl.environment?.[name]).toMatch(/^\$\{\w+:\?.+\}$/);
    }
    expect(services.trawl.ports?.every((port) => port.startsWith("127.0.0.1:"))).toBe(true);
  });
});

describe.runIf(hasTool("systemd-analyze"))("deploy/trawl.service", () => {
  test("is taken by systemd without a word", () => {
    expect(run("systemd-analyze", ["verify", "deploy/trawl.service"])).toEqual({
      code: 0,
      output: "",
    });
  });

  test("exposes little, by systemd's own measure", () => {
    const args = ["security", "--offline=true", "--threshold=20", "deploy/trawl.service"];
    const { code, output } = run("systemd-analyze", args);
    expect(code, output).toBe(0);
  });
});

describe.runIf(hasTool("helm", ["version"]))("deploy/helm/trawl", () => {
  const key = ["--set", "apiKey=k"];
  const bucket = ["--set", "bucket.url=s3://bucket/prefix"];
  const template = (...args: string[]) =>
    run("helm", ["template", "a", "deploy/helm/trawl", ...args]);

  test("is taken by helm's own rules", () => {
    const { code, output } = run("helm", ["lint", "--strict", "deploy/helm/trawl", ...key]);
    expect(code, output).toBe(0);
  });

  test.runIf(hasYaml)("makes one server with a volume, or several with a bucket", () => {
    interface Made {
      readonly kind: string;
      readonly spec: {
        readonly replicas: number;
        readonly template: {
          readonly spec: {
            readonly enableServiceLinks: boolean;
            readonly containers: readonly [{ readonly env: readonly { name: string }[] }];
          };
        };
      };
    }
    const made = (...args: string[]) => {
      const { code, output } = template(...args);
      expect(code, output).toBe(0);
      return (parseYaml(output) as Made[]).filter((object) => object !== null);
    };
    const [one] = made(...key).filter(({ kind }) => kind === "StatefulSet");
    expect(one.spec.replicas).toBe(1);
    // Else a service with the name trawl would set TRAWL_PORT.
    expect(one.spec.template.spec.enableServiceLinks).toBe(false);
    const all = made(
      ...bucket,
      "--set",
      "apiKeySecret=s,replicas=3,ingress.enabled=true,ingress.host=h",
    );
    expect(all.map(({ kind }) => kind).sort()).toEqual([
      "Ingress",
      "Service",
      "ServiceAccount",
      "StatefulSet",
    ]);
    const several = all.find(({ kind }) => kind === "StatefulSet");
    expect(several?.spec.replicas).toBe(3);
    const names = several?.spec.template.spec.containers[0].env.map(({ name }) => name);
    expect(names).toContain("TRAWL_OBJECT_STORE");
    expect(new Set(names).size).toBe(names?.length);
  });

  test.each([
    [[], "a server that others reach does not start without a key"],
    [[...key, "--set", "replicas=2"], "more than one server needs bucket.url"],
    [[...key, "--set", "apiKeySecret=s"], "are both set"],
    [[...key, "--set", "ingress.enabled=true"], "say by which name"],
    [[...key, "--set", "bucket.url=bucket"], "bucket.url"],
    [[...key, "--set", "settings.PORT=1"], "settings"],
  ])("refuses %j", (args, message) => {
    const { code, output } = template(...args);
    expect(code).not.toBe(0);
    expect(output).toContain(message);
  });
});
