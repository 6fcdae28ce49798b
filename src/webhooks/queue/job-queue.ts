import { Logger as NestLogger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { TASK } from '../delivery-jobs.js';

/**
 * Attempts of this process at a time; most of the time they wait for endpoints. A key has 20 webhooks with 8 queues each, so
 * that one alone cannot take all.
 */
const CONCURRENCY = 200;
/** How often each of them looks for jobs whose time has come; PostgreSQL announces new ones. */
const POLL_EVERY = seconds(5);

/** Milliseconds: the library has written by then that a job is completed. */
const COMPLETED_AFTER = 2;

/** An attempt takes 10 s: a process that has had a job for so long has died. */
const ABANDONED_AFTER = '30 s';

type Deliver = (deliveryId: string, stop?: AbortSignal) => Promise<void>;

/** Starts to work on jobs. The library is loaded here: a service without webhooks does not pay for it. */
export async function startQueue(pgPool: Pool, deliver: Deliver): Promise<Runner> {
  const { Logger, run } = await import('graphile-worker');
  return run({
    pgPool,
    noHandleSignals: true, // the service has its own order of stopping
    logger: new Logger(() => forward),
    // A worker looks for its next job after the last one is completed, so that the named queue of that is free again.
    forbiddenFlags: () => delay(COMPLETED_AFTER, null),
    taskList: {
      [TASK]: (payload, { abortSignal }) =>
        deliver((payload as { deliveryId: string }).deliveryId, abortSignal),
    },
    preset: {
      worker: {
        concurrentJobs: CONCURRENCY,
        pollInterval: POLL_EVERY,
        gracefulShutdownAbortTimeout: seconds(1.5),
        // Without batches the library awaits neither: a connection that is lost at that time would end the process. There is
        // no local queue, which would run jobs of one named queue at the same time (graphile/worker#621).
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

/** Deletes what the queue does not need any more: names of queues, and jobs whose successor has been added. */
export async function cleanQueue(pgPool: Pool): Promise<void> {
  const { Logger, makeWorkerUtils } = await import('graphile-worker');
  const utils = await makeWorkerUtils({ pgPool, logger: new Logger(() => forward) });
  try {
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS', 'GC_JOB_QUEUES'] });
  } finally {
    await utils.release();
  }
}

const logger = new NestLogger('Job queue');

function forward(level: string, message: string): void {
  // Tasks hold no connection while they wait for endpoints, which the library cannot know.
  if (message.includes('maxPoolSize')) return;
  if (level === 'error' || level === 'warning') logger.warn(message);
  else logger.debug(message);
}
