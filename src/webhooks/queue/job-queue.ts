import { Logger as NestLogger } from '@nestjs/common';
import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { addNextJobs, TASK } from '../webhook-sql.js';

/** Webhooks served at a time by this process; it mostly waits for their endpoints. A key has 20, so it alone cannot take all. */
const CONCURRENCY = 100;
/** How often to look for jobs whose time has come. PostgreSQL announces new ones. */
const POLL_EVERY = seconds(1);
/** A job that this process has no room for goes back after that, for another process. */
const KEPT_FOR = seconds(5);

/** A job waits for at most 5 s, starts attempts for 10 s, and each takes at most 10 s: a process that has one for longer has died. */
const ABANDONED_AFTER = '30 s';

type Deliver = (webhookId: string, stop?: AbortSignal) => Promise<void>;

/** Starts to work on jobs. The library is loaded here: a service without webhooks does not pay for it. */
export async function startQueue(pgPool: Pool, deliver: Deliver): Promise<Runner> {
  const { Logger, run } = await import('graphile-worker');
  return run({
    pgPool,
    noHandleSignals: true, // the service has its own order of stopping
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
        // One statement looks for the jobs of all. It would run several jobs of a named queue at the same time
        // (graphile/worker#621), but only one of a webhook ever waits.
        localQueue: { size: CONCURRENCY, ttl: KEPT_FOR },
        // Without batches the library awaits neither: a connection that is lost at that time would end the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

/** Gives back the jobs of processes that have died. By itself the queue does that after four hours. */
export async function unlockAbandonedJobs(pgPool: Pool): Promise<void> {
  await pgPool.query(
    `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM graphile_worker.jobs
     WHERE locked_at < now() - interval '${ABANDONED_AFTER}' HAVING count(*) > 0`,
  );
}

/** Deletes what the queue does not need any more, and adds missing jobs: replicas of an older version add other ones. */
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
  // Tasks hold no connection while they wait for endpoints, which the library cannot know.
  if (message.includes('maxPoolSize')) return;
  // While PostgreSQL is unavailable, that comes every few seconds; `WebhookWorker` warns once.
  const isRepeated = message.startsWith('Error occurred fetching jobs');
  if ((level === 'error' || level === 'warning') && !isRepeated) logger.warn(message);
  else logger.debug(message);
}
