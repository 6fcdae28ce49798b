import type { Scope } from '../auth/scopes.js';

/** A key needs these scopes to create a webhook, and its webhooks receive nothing without them. */
const SCOPES: readonly Scope[] = ['webhooks:write', 'events:read'];

/** SQL: whether a row of `webhooks` receives events. */
export const IS_ACTIVE = `
  webhooks.state = 'enabled' AND webhooks.deleted_at IS NULL
  AND EXISTS (SELECT FROM api_keys AS key
              WHERE key.id = webhooks.api_key_id AND key.revoked_at IS NULL
                AND (key.expires_at IS NULL OR key.expires_at > now())
                AND (key.scopes IS NULL OR key.scopes @> '{${SCOPES.join()}}'))`;

/** The queue's task that sends a webhook's due deliveries. */
export const TASK = 'deliver to webhook';

/** SQL: how long deliveries to a failing webhook pause: 10 % of its failing time, from 1 s to 1 min. */
const PAUSE = `
  CASE WHEN failing_since IS NULL THEN interval '0'
  ELSE least(interval '1 minute', greatest(interval '1 s', (now() - failing_since) / 10)) END`;

/**
 * SQL: adds a job for each of these webhooks, or changes the one that is waiting. A webhook has its own named queue, so
 * usually only one of its jobs runs at a time across all processes.
 * @param webhooks a table or subquery with `id` and `run_at`
 * @param keepsRunAt whether a waiting job keeps its time
 */
export const addJobs = (webhooks: string, keepsRunAt = false): string => `
  SELECT count(*) FROM (
    SELECT array_agg((
      '${TASK}', json_build_object('webhookId', id::text), 'webhook ' || id, run_at, NULL, 'webhook ' || id, NULL, NULL
    )::graphile_worker.job_spec) AS specs
    FROM ${webhooks} HAVING count(*) > 0) AS due CROSS JOIN LATERAL graphile_worker.add_jobs(specs, ${keepsRunAt})`;

/** SQL: adds jobs for webhooks with new deliveries. They do not shorten the pause of a failing endpoint. */
export const addJobsOfNew = (deliveries: string): string =>
  addJobs(`(
    SELECT webhooks.id, least(run_at, now() + ${PAUSE}) AS run_at
    FROM webhooks LEFT JOIN graphile_worker.jobs ON key = 'webhook ' || webhooks.id AND locked_at IS NULL
    WHERE webhooks.id IN (SELECT webhook_id FROM ${deliveries})) AS due`);

/**
 * SQL: adds jobs for the next attempts, unless jobs are already waiting.
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
