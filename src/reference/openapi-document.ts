/** The OpenAPI 3.1 document of all that is served, made of the tables of routes and the wire types. */

import { NAMESPACE_NAME_CHARS_MAX } from "../base/ids.ts";
import { errorResponse, errorStatuses } from "./error-docs.ts";
import { type ApiExample, EXAMPLES } from "./examples/examples.ts";
import { type AnswerDoc, type ContentDoc, TAGS } from "./operations/operation-doc.ts";
import { type ListedRoute, listRoutes } from "./route-list.ts";
import { ANSWER_SCHEMAS } from "./schemas/answer-schemas.ts";
import { FILTER_SCHEMAS } from "./schemas/filter-schemas.ts";
import { integer, type JsonSchema, type JsonSchemas } from "./schemas/json-schema.ts";
import { OWN_SCHEMAS } from "./schemas/own-schemas.ts";
import { QUERY_SCHEMAS } from "./schemas/query-schemas.ts";
import { RANK_SCHEMAS } from "./schemas/rank-schemas.ts";
import { VALUE_SCHEMAS } from "./schemas/value-schemas.ts";
import { WRITE_SCHEMAS } from "./schemas/write-schemas.ts";

/** All components by name. */
export const SCHEMAS: JsonSchemas = {
  ...WRITE_SCHEMAS,
  ...QUERY_SCHEMAS,
  ...RANK_SCHEMAS,
  ...FILTER_SCHEMAS,
  ...VALUE_SCHEMAS,
  ...ANSWER_SCHEMAS,
  ...OWN_SCHEMAS,
};

const DESCRIPTION = [
  "Trawl answers the turbopuffer v2 HTTP API, and some addresses of its own under `/trawl`.",
  "",
  "- Every path of the API may have one more segment in front (`/{region}/v2/…`), and a slash at",
  "  its end. `GET` also answers `HEAD`.",
  "- Fields that are not known are ignored, and the header `trawl-warning` says so; with",
  "  `trawl-strict: true` they are an error. Null is an absent field.",
  "- Bodies may be gzip; answers from 1 KiB on are, where it is asked for.",
  "- Numbers have 64 bits: ids above 2^53 need a parser that keeps them.",
  '- Every error has the shape `{"status": "error", "error": "…"}`. Beside those of each',
  "  operation, the server answers 404 and 405 where there is no route or no such method, 417 to",
  "  expectations that it cannot meet, and 431 to headers that are too large.",
  "- `x-request-id` of a request, or a new one, is in its answer and in the server's log.",
].join("\n");

/** Makes the document of a server of this version. */
export function openapiDocument(version: string): JsonSchema {
  const routes = listRoutes();
  return {
    openapi: "3.1.0",
    info: {
      title: "Trawl",
      summary: "Self-hosted document search",
      description: DESCRIPTION,
      version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [
      { url: "/" },
      {
        url: "/{region}",
        description: "For clients that can only be pointed at a URL with a region in it.",
        variables: { region: { default: "local" } },
      },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key, or a token that was signed with one. A server may have none.",
        },
      },
      schemas: SCHEMAS,
    },
  };
}

function pathsOf(routes: readonly ListedRoute[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path][route.method.toLowerCase()] = operationOf(route);
  }
  return paths;
}

function operationOf(route: ListedRoute): JsonSchema {
  const { doc, id, name, actions, parameters } = route;
  const examples = id === name ? EXAMPLES.filter(({ operation }) => operation === name) : [];
  const query = Object.entries(doc.query ?? {}).map(([parameter, schema]) => {
    return { ...parameterOf(parameter, "query", schema), required: false };
  });
  const path = parameters.map((parameter) => ({
    ...parameterOf(parameter, "path", PATH_PARAMETERS[parameter]),
    required: true,
  }));
  const isSent = route.method !== "GET" && doc.body !== undefined;
  return {
    operationId: id,
    summary: doc.summary,
    description: doc.description,
    tags: [doc.tag],
    ...(doc.isDeprecated && { deprecated: true }),
    security: securityOf(actions),
    parameters: [...path, ...query],
    ...(isSent && { requestBody: bodyOf(doc.body, examples) }),
    responses: responsesOf(route, examples),
  };
}

/** Any of the actions is enough; a server without keys needs none. */
function securityOf(actions: ListedRoute["actions"]): readonly JsonSchema[] {
  if (actions === undefined) return [];
  const keys = actions.length === 0 ? [{ key: [] }] : actions.map((action) => ({ key: [action] }));
  return [...keys, {}];
}

/** What the parameters of paths are. */
const PATH_PARAMETERS: JsonSchemas = {
  namespace: {
    type: "string",
    description: "The namespace's name.",
    pattern: "^[A-Za-z0-9\\-_.]+$",
    minLength: 1,
    maxLength: NAMESPACE_NAME_CHARS_MAX,
  },
  token: { type: "string", description: "The operation's token." },
  id: { type: "string", description: "The id that the answer to the beginning gave." },
  number: integer("The object's number in the list of objects.", { minimum: 0 }),
  checkpoint: { type: "string", description: "The checkpoint's name." },
};

function parameterOf(name: string, place: "path" | "query", schema: JsonSchema): JsonSchema {
  const { description = name, ...rest } = schema;
  return { name, in: place, description, schema: rest };
}

function bodyOf(
  body: ContentDoc & { readonly isRequired: boolean },
  examples: readonly ApiExample[],
): JsonSchema {
  const sent = examples.filter(({ body: value }) => value !== undefined);
  const shown = sent.map((example) => [
    example.name,
    { summary: example.summary, value: example.body },
  ]);
  return { required: body.isRequired, content: contentOf(body, shown) };
}

function responsesOf(
  { doc, actions, parameters }: ListedRoute,
  examples: readonly ApiExample[],
): JsonSchema {
  const answers = Object.entries(doc.answers).map(([status, answer]): [string, JsonSchema] => [
    status,
    answerOf(answer, examplesOf(examples, Number(status)), doc.body !== undefined),
  ]);
  const scope = { doc, isGuarded: actions !== undefined, parameters };
  const errors = errorStatuses(scope).map((status): [string, JsonSchema] => {
    const response = errorResponse(status, parameters.includes("namespace"));
    return [String(status), withExamples(response, examplesOf(examples, status))];
  });
  return Object.fromEntries([...answers, ...errors]);
}

function answerOf(
  { description, content, headers = {} }: AnswerDoc,
  examples: Shown,
  mayWarn: boolean,
): JsonSchema {
  const all = {
    ...headers,
    ...(mayWarn && {
      "trawl-warning": { type: "string", description: "Which fields were not known." },
    }),
  };
  const described = Object.entries(all).map(([name, { description: what, ...schema }]) => [
    name,
    { ...(what !== undefined && { description: what }), schema },
  ]);
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(content !== undefined && { content: contentOf(content, examples) }),
  };
}

type Shown = readonly (readonly unknown[])[];

function contentOf({ type = "application/json", schema }: ContentDoc, examples: Shown): JsonSchema {
  return {
    [type]: { schema, ...(examples.length > 0 && { examples: Object.fromEntries(examples) }) },
  };
}

function examplesOf(examples: readonly ApiExample[], status: number): Shown {
  return examples
    .filter((example) => example.status === status && example.answer !== undefined)
    .map(({ name, summary, answer }) => [name, { summary, value: answer }]);
}

function withExamples(response: JsonSchema, examples: Shown): JsonSchema {
  if (examples.length === 0) return response;
  const content = response.content as Readonly<Record<string, JsonSchema>>;
  const json = { ...content["application/json"], examples: Object.fromEntries(examples) };
  return { ...response, content: { ...content, "application/json": json } };
}
