/** The forms of bodies that change something: all that is read of them, but for documents. */

import { ARRAY_ELEMENTS_MAX, ATTRIBUTE_COUNT_MAX } from "../../model/contract-limits.ts";
import { ANY_FORM, type JsonForm, objectForm } from "../json/json-form.ts";
import { EXPRESSION_FORM } from "../query/expression-forms.ts";
import { VALUE_JSON_BYTES_MAX } from "./body-bounds.ts";

const FULL_TEXT_OPTIONS = objectForm({
  tokenizer: ANY_FORM,
  language: ANY_FORM,
  stemming: ANY_FORM,
  remove_stopwords: ANY_FORM,
  case_sensitive: ANY_FORM,
  ascii_folding: ANY_FORM,
  max_token_length: ANY_FORM,
  k1: ANY_FORM,
  b: ANY_FORM,
  k3: ANY_FORM,
});

const DECLARATION = objectForm({
  type: ANY_FORM,
  filterable: ANY_FORM,
  full_text_search: FULL_TEXT_OPTIONS,
  regex: ANY_FORM,
  glob: ANY_FORM,
  fuzzy: ANY_FORM,
  ann: objectForm({ distance_metric: ANY_FORM, late_interaction: ANY_FORM }),
  sparse_knn: objectForm({ distance_metric: ANY_FORM }),
  embed: objectForm({ model: ANY_FORM, attribute: ANY_FORM, dims: ANY_FORM, dtype: ANY_FORM }),
  drop: ANY_FORM,
});

/** The map from attribute names to declarations: more than can be declared and dropped at once. */
export const SCHEMA_FORM: JsonForm = { values: DECLARATION, valuesMax: 4 * ATTRIBUTE_COUNT_MAX };

const ENCRYPTION = objectForm({
  mode: ANY_FORM,
  key_name: ANY_FORM,
  encryption_context: ANY_FORM,
  cmek: objectForm({ key_name: ANY_FORM }),
});

/** The values of a document, some of which are arrays. */
const DOCUMENT: JsonForm = {
  values: {
    isList: true,
    elementsMax: ARRAY_ELEMENTS_MAX,
    stringBytesMax: VALUE_JSON_BYTES_MAX,
    next: () => ELEMENT,
  },
};
const ELEMENT: JsonForm = { stringBytesMax: VALUE_JSON_BYTES_MAX };

/** Members of a write that are read whole, at the end of its body. */
export const WRITE_FORMS: ReadonlyMap<string, JsonForm> = new Map(
  Object.entries<JsonForm>({
    upsert_condition: EXPRESSION_FORM,
    patch_condition: EXPRESSION_FORM,
    delete_condition: EXPRESSION_FORM,
    delete_by_filter: EXPRESSION_FORM,
    delete_by_filter_allow_partial: ANY_FORM,
    patch_by_filter: objectForm({ filters: EXPRESSION_FORM, patch: DOCUMENT }),
    patch_by_filter_allow_partial: ANY_FORM,
    return_affected_ids: ANY_FORM,
    distance_metric: ANY_FORM,
    schema: SCHEMA_FORM,
    create_namespace: ANY_FORM,
    copy_from_namespace: objectForm({
      source_namespace: ANY_FORM,
      source_api_key: ANY_FORM,
      source_region: ANY_FORM,
      dest_encryption: ENCRYPTION,
    }),
    branch_from_namespace: objectForm({ source_namespace: ANY_FORM }),
    encryption: ENCRYPTION,
    sharding: objectForm({ num_shards: ANY_FORM }),
    disable_backpressure: ANY_FORM,
  }),
);

/** The body of a metadata update. */
export const METADATA_FORM: JsonForm = objectForm({
  pinning: objectForm({ replicas: ANY_FORM }),
  read_only: ANY_FORM,
});
