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
