import type { Scope } from '../../access/keys/scopes.js';

/** A key needs these scopes to create a webhook, and its webhooks receive nothing without them. */
const SCOPES: readonly Scope[] = ['webhooks:write', 'events:read'];

/** SQL: whether a row of `webhooks` receives events. */
export const IS_ACTIVE = `
  webhooks.state = 'enabled' AND webhooks.deleted_at IS NULL
  AND EXISTS (SELECT FROM api_keys AS key
              WHERE key.id = webhooks.api_key_id AND key.revoked_at IS NULL
                AND (key.expires_at IS NULL OR key.expires_at > now())
                AND (key.scopes IS NULL OR key.scopes @> '{${SCOPES.join()}}'))`;

/**
 * SQL: ends the pause of a webhook. While a process is serving it, that keeps its lease, and makes no pause at
 * the end: `served_at` says so until the next claim.
 */
export const END_PAUSE = `
  UPDATE webhooks SET busy_until = CASE WHEN busy_by IS NOT NULL THEN busy_until END,
                      served_at = CASE WHEN busy_by IS NULL THEN served_at END
  WHERE id = $1`;

/**
 * SQL: puts the delivery $2 before all others that wait for the webhook $1. Its place is a time, so that the
 * index of due deliveries serves, and just before the earliest one, so that the backlog's age stays true.
 */
export const GO_FIRST = `
  UPDATE webhook_deliveries
  SET next_attempt_at = least(next_attempt_at, (
    SELECT min(next_attempt_at) - interval '1 microsecond' FROM webhook_deliveries
    WHERE webhook_id = $1 AND state = 'pending' AND id <> $2))
  WHERE id = $2`;
