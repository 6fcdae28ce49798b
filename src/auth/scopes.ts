/** What a key may be allowed to do, such as `pets:write`. */
export type Scope = `${string}:${string}`;

/** The scopes of all operations that are loaded, in alphabetical order: `@RequireScope()` declares them. */
export const SCOPES: Scope[] = [];

export function declareScope(scope: Scope): void {
  if (SCOPES.includes(scope)) return;
  SCOPES.push(scope);
  SCOPES.sort();
}
