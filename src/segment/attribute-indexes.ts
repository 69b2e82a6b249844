/** All indexes of attributes. To add one: a folder with an `AttributeIndex`, and a line here. */

import { COLUMN_INDEX } from "./columns/column-index.ts";
import { DICTIONARY_INDEX } from "./columns/dictionary-index.ts";
import { ELEMENT_NUMBERS_INDEX } from "./columns/element-numbers-index.ts";
import { SORTED_NUMBERS_INDEX } from "./columns/sorted-numbers-index.ts";
import { SPARSE_INDEX } from "./sparse/sparse-index.ts";
import { TEXT_INDEX } from "./text/text-index.ts";
import { BYTE_CODE_INDEX } from "./vectors/byte-code-index.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import { CODE_INDEX } from "./vectors/code-index.ts";
import { VECTOR_INDEX } from "./vectors/vector-index.ts";
import type { AttributeIndex } from "./view/attribute-index.ts";

/** In the order of their sections in a segment. */
export const ATTRIBUTE_INDEXES: readonly AttributeIndex[] = [
  COLUMN_INDEX,
  DICTIONARY_INDEX,
  SORTED_NUMBERS_INDEX,
  ELEMENT_NUMBERS_INDEX,
  TEXT_INDEX,
  SPARSE_INDEX,
  VECTOR_INDEX,
  CLUSTER_INDEX,
  CODE_INDEX,
  BYTE_CODE_INDEX,
];
