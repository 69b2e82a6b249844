/** A namespace's schema in the form that writes take. */
export interface WrittenSchema {
  /** Of all vectors; writes have it beside the schema. Undefined where there are no vectors. */
  readonly distanceMetric: string | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface AttributeJson {
  readonly type: string;
  readonly ann?: { readonly distance_metric: string; readonly late_interaction?: true };
  readonly sparse_knn?: object;
}

/**
 * Turns a schema as metadata shows it into what writes take: there the metric of vectors stands
 * apart, and what every attribute of a type has is not said again.
 */
export function schemaToWrite(shown: Readonly<Record<string, unknown>>): WrittenSchema {
  const schema: Record<string, unknown> = {};
  let distanceMetric: string | undefined;
  for (const [name, attribute] of Object.entries(shown as Record<string, AttributeJson>)) {
    const { ann, sparse_knn, ...rest } = attribute;
    distanceMetric ??= ann?.distance_metric;
    const index = ann?.late_interaction === true ? { late_interaction: true } : true;
    schema[name] = ann === undefined ? rest : { ...rest, ann: index };
  }
  return { distanceMetric, schema };
}
