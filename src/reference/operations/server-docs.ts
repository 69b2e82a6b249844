/** What is said of the server's own addresses: keys and tokens, and the server itself. */

import type { ServiceRoute } from "../../http/routes/routes.ts";
import type { TrawlRoute } from "../../http/routes/trawl-routes.ts";
import { ref } from "../schemas/json-schema.ts";
import type { AnswerDoc, OperationDoc } from "./operation-doc.ts";

/** By the name of the route. */
export const TRAWL_DOCS: Readonly<Record<TrawlRoute["name"], OperationDoc>> = {
  create_key: {
    tag: "Keys",
    summary: "Create a key",
    description:
      "The first key needs the action `admin`, and the request the server's own " +
      "machine; from then " +
      "on every request needs a key.",
    body: { schema: ref("KeyRequest"), isRequired: true },
    answers: { 200: ok("NewKey", "The key, with its text.") },
    errors: [409],
  },
  list_keys: {
    tag: "Keys",
    summary: "List keys",
    description: "All keys, without their texts.",
    answers: { 200: ok("KeyList", "All keys.") },
  },
  revoke_key: {
    tag: "Keys",
    summary: "Revoke a key",
    description: "Ends a key, and the tokens that were signed with it.",
    answers: { 200: ok("RevokedKey", "It has ended.") },
    errors: [409],
  },
  issue_token: {
    tag: "Keys",
    summary: "Sign a token",
    description:
      "A token queries one namespace under a filter that is forced on each query: for " +
      "browsers and " +
      "tenants. It is signed with the key of the request.",
    body: { schema: ref("TokenRequest"), isRequired: true },
    answers: { 200: ok("TokenAnswer", "The token.") },
  },
  describe_caller: {
    tag: "Keys",
    summary: "Who am I?",
    description: "Says what the key or token of the request may do, and where.",
    answers: { 200: ok("CallerAnswer", "What it may do.") },
  },
  list_slow_queries: {
    tag: "Server",
    summary: "The last slow requests",
    description: "What the log says of them: where the time went, and never what was asked for.",
    answers: { 200: ok("SlowQueries", "The newest first.") },
  },
};

/** By the name of the route. */
export const SERVICE_DOCS: Readonly<Record<ServiceRoute["name"], OperationDoc>> = {
  root: {
    tag: "Server",
    summary: "Greet",
    description: "Says what answers here. Needs no key.",
    answers: { 200: ok("ServerAnswer", "The server.") },
  },
  health: {
    tag: "Server",
    summary: "Is it alive?",
    description: "Answers as long as the process does. Needs no key.",
    answers: { 200: ok("Ok", "It is.") },
  },
  readiness: {
    tag: "Server",
    summary: "Is it ready?",
    description: "Answers 503 with the reason until requests can be answered. Needs no key.",
    answers: { 200: ok("Ok", "It is.") },
    errors: [503],
  },
  metrics: {
    tag: "Server",
    summary: "Metrics",
    description: "For Prometheus. Needs the action `list` on all namespaces.",
    answers: {
      200: { description: "Metrics.", content: { type: "text/plain", schema: { type: "string" } } },
    },
  },
  openapi: {
    tag: "Server",
    summary: "This document",
    description: "OpenAPI 3.1. Needs no key.",
    answers: { 200: { description: "The document.", content: { schema: { type: "object" } } } },
  },
};

function ok(name: string, description: string): AnswerDoc {
  return { description, content: { schema: ref(name) } };
}
