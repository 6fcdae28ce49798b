import { Logger as NestLogger } from '@nestjs/common';
import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { addNextJobs, TASK } from '../webhook-sql.js';

/**
 * Webhooks that this process serves concurrently; it mostly waits for their endpoints. A key has at most 20, so no
 * single key can use all slots.
 */
const CONCURRENCY = 100;
/** How often to look for jobs that have become due. PostgreSQL announces new ones. */
const POLL_EVERY = seconds(1);
/** A fetched job that finds no free slot returns to the queue after this time, for another process. */
const KEPT_FOR = seconds(5);

/**
 * A job waits for at most 5 s and starts attempts for 10 s, each taking at most 10 s. After 30 s its process must have
 * died.
 */
const ABANDONED_AFTER = '30 s';

type Deliver = (webhookId: string, stop?: AbortSignal) => Promise<void>;

/** Starts processing jobs. The library is loaded only here, so a service without webhooks does not load it. */
export async function startQueue(pgPool: Pool, deliver: Deliver): Promise<Runner> {
  const { Logger, run } = await import('graphile-worker');
  return run({
    pgPool,
    noHandleSignals: true, // the service stops its parts in its own order
    logger: new Logger(() => forward),
    taskList: {
      [TASK]: (payload, { abortSignal }) =>
        deliver((payload as { webhookId: string }).webhookId, abortSignal),
    },
    preset: {
      worker: {
        concurrentJobs: CONCURRENCY,
        pollInterval: POLL_EVERY,
        gracefulShutdownAbortTimeout: seconds(1.5),
        // One query fetches jobs for all slots.
        localQueue: { size: CONCURRENCY, ttl: KEPT_FOR },
        // With the default (-1), the library awaits neither write, and a connection lost during one would end the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

/** Returns the jobs of processes that have died. The library itself waits four hours to do so. */
export async function unlockAbandonedJobs(pgPool: Pool): Promise<void> {
  await pgPool.query(
    `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM graphile_worker.jobs
     WHERE locked_at < now() - interval '${ABANDONED_AFTER}' HAVING count(*) > 0`,
  );
}

/**
 * Deletes what the queue no longer needs, and adds missing jobs, because replicas of an older version add jobs of
 * another kind.
 */
export async function cleanQueue(pgPool: Pool): Promise<void> {
  const { Logger, makeWorkerUtils } = await import('graphile-worker');
  const utils = await makeWorkerUtils({ pgPool, logger: new Logger(() => forward) });
  try {
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS', 'GC_JOB_QUEUES'] });
    await pgPool.query(addNextJobs('true'));
  } finally {
    await utils.release();
  }
}

const logger = new NestLogger('Job queue');

function forward(level: string, message: string): void {
  // The library warns that the pool is smaller than the concurrency, but jobs hold no connection while they wait for
  // endpoints.
  if (message.includes('maxPoolSize')) return;
  // This recurs every few seconds while PostgreSQL is unavailable. `WebhookWorker` already warns once.
  const isRepeated = message.startsWith('Error occurred fetching jobs');
  if ((level === 'error' || level === 'warning') && !isRepeated) logger.warn(message);
  else logger.debug(message);
}
