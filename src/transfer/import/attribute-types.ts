/** What a schema says of the attributes that an import writes to. */

/** Types in a schema as the API answers it, by the attribute's name. */
export function attributeTypes(
  schema: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(schema).flatMap(([name, declared]) => {
      const { type } = declared as { readonly type?: unknown };
      return typeof type === "string" ? [[name, type] as const] : [];
    }),
  );
}

/**
 * Whether a schema has the server embed texts of some attribute, as it is answered or declared:
 * writes then take few documents at once, and there are vectors that no column shows.
 */
export function embedsTexts(schema: Readonly<Record<string, unknown>>): boolean {
  return Object.values(schema).some((declared) => {
    const isObject = typeof declared === "object" && declared !== null;
    const { embed } = isObject ? (declared as { readonly embed?: unknown }) : {};
    return embed !== undefined && embed !== null && embed !== false;
  });
}
