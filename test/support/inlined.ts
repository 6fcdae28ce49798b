type Part = Readonly<Record<string, unknown>>;

/** A document in which each parameter, response and header is where it belongs. Only schemas stay references. */
export function inlined<T>(document: T): T {
  const { components = {} } = document as { readonly components?: Part };
  const resolved = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolved);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, ...own } = Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, resolved(value)]),
    );
    if (typeof $ref !== 'string') return own;
    const [, , kind = '', name = ''] = $ref.split('/');
    if (!SHARED.includes(kind)) return { $ref, ...own };
    const target = (components[kind] as Part | undefined)?.[name];
    if (target === undefined) throw new Error(`${$ref} refers to nothing.`);
    return { ...(resolved(target) as object), ...own };
  };
  const kept = Object.entries(components).filter(([kind]) => !SHARED.includes(kind));
  return { ...(resolved(document) as T), components: resolved(Object.fromEntries(kept)) };
}

const SHARED = ['parameters', 'responses', 'headers'];
