import type { Scope } from '../auth/scopes.js';

/** The scopes without which a key creates no webhook, and without which its webhooks get nothing. */
const SCOPES: readonly Scope[] = ['webhooks:write', 'events:read'];

/** SQL: whether events are sent to a row of `webhooks`. */
export const IS_ACTIVE = `
  webhooks.state = 'enabled' AND webhooks.deleted_at IS NULL
  AND EXISTS (SELECT FROM api_keys AS key
              WHERE key.id = webhooks.api_key_id AND key.revoked_at IS NULL
                AND (key.expires_at IS NULL OR key.expires_at > now())
                AND (key.scopes IS NULL OR key.scopes @> '{${SCOPES.join()}}'))`;
