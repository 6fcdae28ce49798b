import type { Scope } from '../keys/scopes.js';

/** A key needs these scopes to create a webhook, and its webhooks receive nothing without them. */
const SCOPES: readonly Scope[] = ['webhooks:write', 'events:read'];

/** SQL: whether a row of `webhooks` receives events. */
export const IS_ACTIVE = `
  webhooks.state = 'enabled' AND webhooks.deleted_at IS NULL
  AND EXISTS (SELECT FROM api_keys AS key
              WHERE key.id = webhooks.api_key_id AND key.revoked_at IS NULL
                AND (key.expires_at IS NULL OR key.expires_at > now())
                AND (key.scopes IS NULL OR key.scopes @> '{${SCOPES.join()}}'))`;

/** SQL: ends the pause of a failing webhook, but not the lease of a process that is serving it. */
export const END_PAUSE = 'UPDATE webhooks SET busy_until = NULL WHERE id = $1 AND busy_by IS NULL';
