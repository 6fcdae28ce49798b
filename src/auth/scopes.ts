/** The scopes that a key can have. */
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
