interface Schema {
  readonly $ref?: string;
  readonly default?: unknown;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface PatchDocument {
  readonly paths: Readonly<Record<string, { readonly patch?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The members of the bodies of all `PATCH` operations that have a `default`, such as `/pets/{petId} status`. */
export function patchesWithDefaults({ paths, components }: PatchDocument): string[] {
  const resolved = (schema: Schema): Schema[] => {
    const named = components.schemas[schema.$ref?.split('/').at(-1) ?? ''];
    return [schema, ...(named ? resolved(named) : []), ...(schema.allOf ?? []).flatMap(resolved)];
  };
  const hasDefault = (schema: Schema) => resolved(schema).some((one) => 'default' in one);
  return Object.entries(paths).flatMap(([path, { patch }]) =>
    Object.values(patch?.requestBody?.content ?? {})
      .flatMap(({ schema }) => resolved(schema))
      .flatMap(({ properties = {} }) => Object.entries(properties))
      .flatMap(([name, member]) => (hasDefault(member) ? [`${path} ${name}`] : [])),
  );
}
