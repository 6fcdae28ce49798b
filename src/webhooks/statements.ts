import type { Scope } from '../auth/scopes.js';

/** The scopes without which a key creates no webhook, and without which its webhooks get nothing. */
const SCOPES: readonly Scope[] = ['webhooks:write', 'events:read'];

/**
 * SQL: whether events are sent to a row of `webhooks`.
 * @param now a parameter, such as `$2`
 */
export const isActive = (now: string): string => `
  state = 'enabled' AND deleted_at IS NULL
  AND EXISTS (SELECT FROM api_keys AS key
              WHERE key.id = api_key_id AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > ${now})
                AND (key.scopes IS NULL OR key.scopes @> '{${SCOPES.join()}}'))`;

/**
 * SQL: adds the job in which a webhook gets its turn, or changes the one that waits.
 * @param webhookId a column or a parameter
 * @param options further arguments of `graphile_worker.add_job`
 */
export const addJob = (webhookId: string, ...options: readonly string[]): string =>
  `graphile_worker.add_job(${[
    `'deliver'`,
    `json_build_object('webhookId', ${webhookId}::text)`,
    `job_key => 'webhook ' || ${webhookId}`,
    ...options,
  ].join(', ')})`;
