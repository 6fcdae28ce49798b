/** The task of the queue that makes one attempt. */
export const TASK = 'deliver webhook';

/** Attempts of one webhook at a time, over all processes: the jobs of a named queue run one after another. */
const QUEUES = 8;

/** SQL: the names of the queues of a webhook begin so. */
export const queuesOf = (webhookId: string): string => `'webhook ' || ${webhookId} || ' '`;

/**
 * SQL: adds the job of each of these deliveries, which runs when the next attempt is due, or changes the one that waits.
 * @param deliveries rows of `webhook_deliveries`: a table or subquery, with its condition
 */
export const addJobs = (deliveries: string): string => `
  SELECT count(*)::integer AS count FROM (
    SELECT array_agg((
      '${TASK}', json_build_object('deliveryId', id::text), ${queuesOf('webhook_id')} || coalesce(event_id, id) % ${QUEUES},
      next_attempt_at, NULL, 'delivery ' || id, NULL, NULL)::graphile_worker.job_spec) AS specs
    FROM ${deliveries} HAVING count(*) > 0) AS due CROSS JOIN LATERAL graphile_worker.add_jobs(specs)`;
