/** Schemas of requests that change something, and of declarations in schemas. */

import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import { SCALAR_KINDS } from "../../model/attribute-type.ts";
import {
  ATTRIBUTE_NAME_CHARS_MAX,
  DELETE_BY_FILTER_MAX,
  EMBEDDED_ATTRIBUTES_MAX,
  EMBEDDED_ROWS_MAX,
  PATCH_BY_FILTER_MAX,
  SHARDS_MAX,
  VECTOR_ATTRIBUTES_MAX,
} from "../../model/contract-limits.ts";
import { ENCRYPTION_CONTEXT_BYTES_MAX } from "../../model/encryption-context.ts";
import { LANGUAGES, TOKENIZERS } from "../../model/full-text-options.ts";
import { FULL_TEXT_DEFAULTS, TOKEN_LENGTH_MAX } from "../../text/full-text-rules.ts";
import { EMBEDDING_MODEL_CHARS_MAX } from "../../wire/json/json-shape.ts";
import { PINNED_REPLICAS_DEFAULT } from "../../wire/write/parse-namespace-bodies.ts";
import { METRICS } from "../../wire/write/parse-write-members.ts";
import {
  described,
  flag,
  input,
  integer,
  type JsonSchema,
  type JsonSchemas,
  list,
  mapOf,
  number,
  oneOf,
  ref,
  text,
} from "./json-schema.ts";

const COPY_RULE = "The destination must be absent or empty; nothing else may be written with it.";
const DEFAULTS = FULL_TEXT_DEFAULTS;

/** Components of requests to write. */
export const WRITE_SCHEMAS: JsonSchemas = {
  WriteRequest: input(
    "What to change, in one step: all of it is durable when it is answered, or none. The order " +
      "is `delete_by_filter`, `patch_by_filter`, then upserts, patches and deletes. An id may " +
      "come once.",
    {
      upsert_rows: list(
        ref("Document"),
        `Documents to write whole; with native embedding at most ${EMBEDDED_ROWS_MAX}.`,
      ),
      upsert_columns: described(ref("Columns"), "The same by column."),
      patch_rows: list(
        ref("Document"),
        "Documents of which only the attributes sent change; those that are not there are passed " +
          "over. Dense vectors cannot be patched.",
      ),
      patch_columns: described(ref("Columns"), "The same by column."),
      deletes: list(ref("Id"), "Ids of documents to delete."),
      upsert_condition: condition("Upsert only where the document is absent or this holds of it."),
      patch_condition: condition("Patch only where this holds of the document."),
      delete_condition: condition("Delete only where this holds of the document."),
      delete_by_filter: described(
        ref("Filter"),
        `Delete what matches, up to ${DELETE_BY_FILTER_MAX.toLocaleString("en")} documents.`,
      ),
      delete_by_filter_allow_partial: flag(
        "Of more documents, delete so many and say `rows_remaining`.",
        false,
      ),
      patch_by_filter: input(
        `Patch what matches, up to ${PATCH_BY_FILTER_MAX.toLocaleString("en")} documents.`,
        {
          filters: ref("Filter"),
          patch: mapOf(
            ref("AttributeValue"),
            "Attributes and their new values; neither `id` nor dense vectors.",
          ),
        },
        ["filters", "patch"],
      ),
      patch_by_filter_allow_partial: flag(
        "Of more documents, patch so many and say `rows_remaining`.",
        false,
      ),
      return_affected_ids: flag("Return the ids of what was changed.", false),
      distance_metric: oneOf(
        METRICS,
        "Needed where a write creates a namespace with dense vectors; later it must be the same.",
      ),
      schema: described(ref("Schema"), "Attributes to declare or to change."),
      create_namespace: flag(
        "True: the namespace is created even without documents. False: a namespace that is not " +
          "there is a 404. Absent: the first documents create it.",
      ),
      copy_from_namespace: {
        description: `Copy a namespace into this one. ${COPY_RULE}`,
        anyOf: [
          { type: "string" },
          input(
            "The source, and what of the copy differs.",
            {
              source_namespace: text("The source's name."),
              source_api_key: text("Not used: the request's own key needs `read` there."),
              source_region: text("Must be this server's own."),
              dest_encryption: described(ref("Encryption"), "Encryption of the copy."),
            },
            ["source_namespace"],
          ),
        ],
      },
      branch_from_namespace: {
        description: `Make this namespace a branch of another, which takes no time. ${COPY_RULE}`,
        anyOf: [
          { type: "string" },
          input("The source.", { source_namespace: text("The source's name.") }, [
            "source_namespace",
          ]),
        ],
      },
      encryption: described(ref("Encryption"), "Encryption of what is written from now on."),
      sharding: input(
        "Kept and shown; one server holds each namespace whole.",
        { num_shards: integer("How many.", { minimum: 1, maximum: SHARDS_MAX }) },
        ["num_shards"],
      ),
      disable_backpressure: flag(
        "Write although much is not indexed yet; only upserts and deletes by id.",
        false,
      ),
    },
  ),
  Schema: mapOf(
    ref("AttributeDeclaration"),
    "Declarations by attribute. Attributes that are not declared get the type of their first " +
      `value. Names have up to ${ATTRIBUTE_NAME_CHARS_MAX} characters and no \`$\` in front.`,
  ),
  AttributeDeclaration: {
    description:
      "A type alone, or an object: options that it does not have keep their value. A type alone " +
      "switches the search options off.",
    anyOf: [
      ref("AttributeType"),
      input(
        "A type with options.",
        {
          type: ref("AttributeType"),
          filterable: flag(
            "Filters may use it. By default true, but false where a newly declared attribute has " +
              "`full_text_search`, `regex`, `glob` or `fuzzy`.",
          ),
          full_text_search: {
            description: "Ranks and filters by the words of `string` and `[]string`.",
            anyOf: [{ type: "boolean" }, ref("FullTextOptions")],
          },
          regex: flag("An index for `Regex`, of strings.", false),
          glob: flag("An index for globs, of strings.", false),
          fuzzy: flag("An index for `Fuzzy`, of strings.", false),
          ann: {
            description:
              "An index for `ANN`, which dense vectors must have. Up to " +
              `${VECTOR_ATTRIBUTES_MAX} vector attributes, fixed when the namespace is created.`,
            anyOf: [
              { type: "boolean" },
              input("Its options.", {
                distance_metric: oneOf(METRICS, "Must be the request's `distance_metric`."),
                late_interaction: flag("Rank by the best of several vectors (`[][N]f32`).", false),
              }),
            ],
          },
          sparse_knn: input(
            "For sparse vectors.",
            { distance_metric: oneOf(["dot_product"], "The only one.") },
            ["distance_metric"],
          ),
          embed: {
            description:
              "The server embeds the text: a model's name, or an object. Null ends it. Up to " +
              `${EMBEDDED_ATTRIBUTES_MAX} attributes.`,
            anyOf: [
              { type: "string", maxLength: EMBEDDING_MODEL_CHARS_MAX },
              input(
                "The model, and where the vectors go.",
                {
                  model: text("The model.", EMBEDDING_MODEL_CHARS_MAX),
                  attribute: text("The vector attribute; by default `embed_` and the name."),
                  dims: integer("Dimensions; by default the model's.", {
                    minimum: 1,
                    maximum: VECTOR_DIMENSIONS_MAX,
                  }),
                  dtype: oneOf(
                    ["f32", "f16", "i8", "float32", "float16", "int8"],
                    "Stored precision; by default `f16`.",
                  ),
                },
                ["model"],
              ),
            ],
          },
        },
        ["type"],
      ),
      {
        type: "object",
        description: "Drops the attribute, with its values and indexes.",
        properties: { drop: { const: true, description: "Must be true." } },
        required: ["drop"],
        additionalProperties: false,
      },
    ],
  },
  AttributeType: {
    description:
      "The type of values: a scalar, an array (`[]string`), a dense vector (`[768]f32`, `f16`, " +
      `\`i8\`, up to ${VECTOR_DIMENSIONS_MAX} dimensions), several of them (\`[][128]f32\`), a ` +
      "sparse vector, or bytes. Of `id`: `uint`, `string` or `uuid`.",
    anyOf: [
      { enum: [...SCALAR_KINDS, "bytes", "{}f16"] },
      { enum: [...SCALAR_KINDS, "unknown"].map((kind) => `[]${kind}`) },
      { type: "string", pattern: "^(\\[[1-9][0-9]*\\](f32|f16|i8)|\\[\\]\\[[1-9][0-9]*\\]f32)$" },
    ],
  },
  FullTextOptions: input("How text becomes tokens, and how BM25 scores them.", {
    tokenizer: {
      ...oneOf(TOKENIZERS, "How text is cut into tokens."),
      default: DEFAULTS.tokenizer,
    },
    language: {
      ...oneOf(LANGUAGES, "For stemming and stop words."),
      default: DEFAULTS.language,
    },
    stemming: flag("Words count by their stem.", DEFAULTS.stemming),
    remove_stopwords: flag(
      "Leave the most frequent words out, by Lucene's list of English and Snowball's of others; " +
        "by default not where the language has no list, or case counts.",
      DEFAULTS.removeStopwords,
    ),
    case_sensitive: flag("Upper and lower case differ.", DEFAULTS.caseSensitive),
    ascii_folding: flag("Accents do not count.", DEFAULTS.asciiFolding),
    max_token_length: integer("Longer tokens are left out; in characters.", {
      minimum: 1,
      maximum: TOKEN_LENGTH_MAX,
      default: DEFAULTS.maxTokenLength,
    }),
    k1: number("BM25: how soon a term's frequency in a document counts no more.", {
      exclusiveMinimum: 0,
      default: DEFAULTS.k1,
    }),
    b: number("BM25: how much a document's length counts.", {
      minimum: 0,
      maximum: 1,
      default: DEFAULTS.b,
    }),
    k3: number("BM25: how soon a term's frequency in the query counts no more.", {
      exclusiveMinimum: 0,
      default: DEFAULTS.k3,
    }),
  }),
  Encryption: input("Encryption of what is stored.", {
    mode: oneOf(["default", "customer-managed"], "Whose key."),
    key_name: text("The name of a key that the server has."),
    encryption_context: mapOf(
      { type: "string" },
      `Pairs that are bound to each use of the key: up to ${ENCRYPTION_CONTEXT_BYTES_MAX} bytes ` +
        "of JSON; names begin with neither `tpuf:` nor `aws:`.",
    ),
    cmek: {
      ...input("The older spelling.", { key_name: text("The name of a key.") }, ["key_name"]),
      deprecated: true,
    },
  }),
  StartCopyRequest: described(
    ref("WriteRequest"),
    "A write with `copy_from_namespace` and nothing else.",
  ),
  MetadataUpdate: input("What to change; what is absent stays.", {
    pinning: {
      description: "True or replicas: keep the namespace pinned. False or null: no more.",
      anyOf: [
        { type: "boolean" },
        input("How many.", {
          replicas: integer("How many.", {
            minimum: 1,
            maximum: 0xffff_ffff,
            default: PINNED_REPLICAS_DEFAULT,
          }),
        }),
      ],
    },
    read_only: flag("Writes and changes of the schema are refused."),
  }),
};

function condition(description: string): JsonSchema {
  const rule = 'A filter that may compare with `{"$ref_new": attribute}`.';
  return described(ref("Filter"), `${description} ${rule}`);
}
