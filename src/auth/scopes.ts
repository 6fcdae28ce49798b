/** What a key may be allowed to do. A module that brings a scope of its own adds it at the end. At most 31. */
export const SCOPES = ['pets:read', 'pets:write', 'orders:read', 'events:read'] as const;

export type Scope = (typeof SCOPES)[number];

/** Every bit: also those of scopes that are still to come. */
const ALL = -1;

export const bitOf = (scope: Scope): number => 1 << SCOPES.indexOf(scope);

/** Scopes as bits, so that a request is checked with one `&`. `null` is all; one that is no more counts for nothing. */
export const bitsOf = (scopes: readonly Scope[] | null): number =>
  scopes === null
    ? ALL
    : SCOPES.filter((scope) => scopes.includes(scope)).reduce((bits, scope) => bits | bitOf(scope), 0);
