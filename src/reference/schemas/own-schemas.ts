/** Schemas of what the turbopuffer API has not: keys, tokens, backups, checkpoints, health. */

import { KEY_ACTIONS } from "../../access/api-key.ts";
import {
  KEY_NAME_CHARS_MAX,
  LIMIT_MAX,
  LIMIT_MIN,
  PATTERNS_MAX,
} from "../../access/key-requests.ts";
import { TOKEN_MS_MAX } from "../../access/query-token.ts";
import { DURATION_FORM } from "../../base/duration.ts";
import { NAMESPACE_NAME_CHARS_MAX } from "../../base/ids.ts";
import { KEPT_REQUESTS_MAX } from "../../http/observability/recent-slow-requests.ts";
import { BACKUP_OBJECTS_MAX } from "../../model/backup.ts";
import {
  described,
  flag,
  input,
  integer,
  type JsonSchema,
  type JsonSchemas,
  list,
  number,
  oneOf,
  output,
  ref,
  text,
} from "./json-schema.ts";

const COUNT = { minimum: 0 };
const DAY_MS = 86_400_000;
const TIME: JsonSchema = { type: "string", format: "date-time" };
const TIME_OR_NULL: JsonSchema = { type: ["string", "null"], format: "date-time" };
const OK: JsonSchema = { const: "OK" };

const NAMESPACE = text("The namespace.", NAMESPACE_NAME_CHARS_MAX);
const ACTIONS = list(oneOf(KEY_ACTIONS, "`admin` allows all else, too."), "What it may do.", {
  minItems: 1,
});
const PATTERNS = list(
  { type: "string" },
  "Names of namespaces, and beginnings of names with a `*` behind them; `*` is all of them.",
  { minItems: 1, maxItems: PATTERNS_MAX },
);
const RATES: JsonSchemas = {
  requests_per_second: number("Requests a second on one server; by default as many as it can.", {
    minimum: LIMIT_MIN,
    maximum: LIMIT_MAX,
  }),
  bytes_per_second: number("Bytes a second on one server, of bodies and answers.", {
    minimum: LIMIT_MIN,
    maximum: LIMIT_MAX,
  }),
};

const KEY_MEMBERS: JsonSchemas = {
  id: text("Its id."),
  name: text("Its name."),
  last_four: text("The last four characters of its text."),
  actions: ACTIONS,
  namespaces: PATTERNS,
  created_at: TIME,
  last_used_at: { ...TIME_OR_NULL, description: "Up to a minute behind." },
  expires_at: { ...TIME_OR_NULL, description: "Null: never." },
  revoked_at: text("When it was revoked, if it was."),
  ...RATES,
};
const KEY_OPTIONAL = ["revoked_at", ...Object.keys(RATES)];

const POINT: JsonSchemas = {
  namespace: NAMESPACE,
  generation: integer("Which life of the namespace.", COUNT),
  manifest_version: integer("Its manifest; 0: none.", COUNT),
  sequence: integer("The last entry of the log that belongs to it.", COUNT),
  has_import: flag("The log after the manifest imports segments."),
};
const OBJECT: JsonSchemas = {
  key: text("Its key in the store."),
  bytes: integer("Its size.", COUNT),
  sha256: { ...text("SHA-256 in hexadecimal digits."), pattern: "^[0-9a-f]{64}$" },
};
const OBJECTS = { maxItems: BACKUP_OBJECTS_MAX };

/** Components of the server's own addresses. */
export const OWN_SCHEMAS: JsonSchemas = {
  KeyRequest: input(
    "What the key is to be. Members that are not known are refused.",
    {
      name: { ...text("Its name.", KEY_NAME_CHARS_MAX), minLength: 1 },
      actions: ACTIONS,
      namespaces: PATTERNS,
      expires_in: text(`When it ends by itself: ${DURATION_FORM}; by default never.`),
      ...RATES,
    },
    ["name", "actions", "namespaces"],
  ),
  NewKey: output(
    "The new key.",
    { key: text("Its text, shown this once."), ...KEY_MEMBERS },
    KEY_OPTIONAL,
  ),
  KeyList: output("All keys.", {
    keys: list(output("A key.", KEY_MEMBERS, KEY_OPTIONAL), "The newest first."),
  }),
  RevokedKey: output("The key is revoked.", {
    status: OK,
    id: text("Its id."),
    name: text("Its name."),
  }),
  TokenRequest: input(
    "What the token may see. Members that are not known are refused.",
    {
      namespace: NAMESPACE,
      filter: described(ref("Filter"), "Joined to the filter of every query."),
      expires_in: {
        ...text(`When it ends: ${DURATION_FORM}; at most ${TOKEN_MS_MAX / DAY_MS}d.`),
        default: "1h",
      },
    },
    ["namespace", "filter"],
  ),
  TokenAnswer: output("The token.", {
    token: text("To be sent as a key is."),
    namespace: NAMESPACE,
    expires_at: TIME,
  }),
  CallerAnswer: output(
    "Whose request it is.",
    {
      kind: oneOf(["anyone", "key", "token"], "`anyone` where the server has no keys."),
      name: text("The key's name."),
      last_four: text("The last four characters of its text."),
      actions: list(
        oneOf([...KEY_ACTIONS, "query"], "A token may `query`, and nothing else."),
        "What it may do.",
      ),
      namespaces: PATTERNS,
      expires_at: { ...TIME_OR_NULL, description: "When the key ends; null: never." },
    },
    ["name", "last_four", "expires_at"],
  ),
  SlowQueries: output("Requests that took long, of this server since it started.", {
    slow_query_ms: integer("From so many milliseconds on a request is slow; 0: none is.", COUNT),
    slow_query_sample: integer("So many a minute are told of, at most.", COUNT),
    slow_queries: list(
      {
        type: "object",
        properties: {
          time: TIME,
          request: text("Its id."),
          operation: text("The operation."),
          status: integer("What it was answered."),
          ms: number("From its headers to the end of its answer."),
          message: text("What it is."),
        },
        required: ["time", "request", "operation", "status", "ms", "message"],
      },
      "As the lines of the log, with their time.",
      { maxItems: KEPT_REQUESTS_MAX },
    ),
  }),
  BackupRequest: input("What to back up.", { namespace: NAMESPACE }, ["namespace"]),
  BackupAnswer: output("The state that is kept until the backup ends.", {
    id: text("The backup's id."),
    ...POINT,
    expires_at: TIME,
    objects: list(output("An object.", OBJECT), "What to read, by its number from 0.", OBJECTS),
  }),
  RestoreRequest: input(
    "A namespace that is to be made of a backup.",
    {
      as: text("The name of the new namespace.", NAMESPACE_NAME_CHARS_MAX),
      ...POINT,
      objects: list(input("An object.", OBJECT, Object.keys(OBJECT)), "All objects.", OBJECTS),
    },
    ["as", ...Object.keys(POINT), "objects"],
  ),
  RestoreAnswer: output("The restore waits for its objects.", { id: text("The restore's id.") }),
  RestoreLook: output("Whether an object is there.", { present: flag("It need not be sent.") }),
  RestorePut: output("A part was taken.", {
    received: integer("Bytes of the object that are there.", COUNT),
  }),
  RestoreEnd: output("The namespace is there.", { documents: integer("Its documents.", COUNT) }),
  CheckpointRequest: input("Both have defaults; so may the body be empty.", {
    name: text("Its name; by default `at-` and the time."),
    expires_in_seconds: integer("When it ends by itself; by default never.", { minimum: 1 }),
  }),
  Checkpoint: checkpoint(),
  CheckpointList: output("All of the namespace's.", {
    checkpoints: list(checkpoint(), "In the order of their names."),
  }),
  CheckpointRestoreRequest: input(
    "Where it goes.",
    { as: text("The name of the new namespace.", NAMESPACE_NAME_CHARS_MAX) },
    ["as"],
  ),
  CheckpointRestoreAnswer: output("The namespace is there.", {
    namespace: NAMESPACE,
    documents: integer("Its documents.", COUNT),
  }),
  ServerAnswer: output("The server.", {
    status: OK,
    service: { const: "trawl" },
    version: text("Its version."),
  }),
};

function checkpoint(): JsonSchema {
  return output("A checkpoint.", {
    name: text("Its name."),
    generation: integer("Which life of the namespace.", COUNT),
    created_at: TIME,
    expires_at: { ...TIME_OR_NULL, description: "Null: never." },
  });
}
