/** The scopes that a key can have, at most 31. A new one goes to the end. */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'orders:read',
  'events:read',
  'orders:write',
  'categories:read',
  'categories:write',
  'key:rotate',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Every bit, those of later scopes included. */
const ALL = -1;

export const bitOf = (scope: Scope): number => 1 << SCOPES.indexOf(scope);

/** Scopes as bits, so that one `&` checks a request. `null` is all scopes; a removed scope has no bit. */
export const bitsOf = (scopes: readonly Scope[] | null): number =>
  scopes === null
    ? ALL
    : SCOPES.filter((scope) => scopes.includes(scope)).reduce((bits, scope) => bits | bitOf(scope), 0);
