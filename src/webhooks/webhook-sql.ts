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

/** The task of the queue that sends what is due to a webhook. */
export const TASK = 'deliver to webhook';

/** SQL: how long deliveries to a row of `webhooks` wait while it keeps failing: a tenth of that time, from 1 s to a minute. */
const PAUSE = `
  CASE WHEN failing_since IS NULL THEN interval '0'
  ELSE least(interval '1 minute', greatest(interval '1 s', (now() - failing_since) / 10)) END`;

/**
 * SQL: adds the job of each of these webhooks, or changes the one that waits. One job of a webhook runs at a time, over all
 * processes: it has a named queue of its own.
 * @param webhooks a table or subquery with `id` and `run_at`
 * @param keepsRunAt whether a job that waits keeps its time
 */
export const addJobs = (webhooks: string, keepsRunAt = false): string => `
  SELECT count(*) FROM (
    SELECT array_agg((
      '${TASK}', json_build_object('webhookId', id::text), 'webhook ' || id, run_at, NULL, 'webhook ' || id, NULL, NULL
    )::graphile_worker.job_spec) AS specs
    FROM ${webhooks} HAVING count(*) > 0) AS due CROSS JOIN LATERAL graphile_worker.add_jobs(specs, ${keepsRunAt})`;

/** SQL: adds the jobs of webhooks with new deliveries. A job of an endpoint that keeps failing comes no earlier than it would. */
export const addJobsOfNew = (deliveries: string): string =>
  addJobs(`(
    SELECT webhooks.id, least(run_at, now() + ${PAUSE}) AS run_at
    FROM webhooks LEFT JOIN graphile_worker.jobs ON key = 'webhook ' || webhooks.id AND locked_at IS NULL
    WHERE webhooks.id IN (SELECT webhook_id FROM ${deliveries})) AS due`);

/**
 * SQL: adds the jobs of the next attempts, unless they wait already.
 * @param webhooks a condition on rows of `webhooks`
 */
export const addNextJobs = (webhooks: string): string =>
  addJobs(
    `(SELECT id, greatest(next_attempt_at, now() + ${PAUSE}) AS run_at
      FROM webhooks CROSS JOIN LATERAL (
        SELECT min(next_attempt_at) AS next_attempt_at FROM webhook_deliveries
        WHERE webhook_id = webhooks.id AND webhook_deliveries.state = 'pending') AS next
      WHERE next_attempt_at IS NOT NULL AND ${webhooks}) AS due`,
    true,
  );
