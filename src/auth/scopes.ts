/** A permission of a key, such as `pets:write`. */
export type Scope = `${string}:${string}`;

/** All scopes that `@RequireScope()` declares in loaded modules, in alphabetical order. */
export const SCOPES: Scope[] = [];

export function declareScope(scope: Scope): void {
  if (SCOPES.includes(scope)) return;
  SCOPES.push(scope);
  SCOPES.sort();
}
