import { Logger as NestLogger } from '@nestjs/common';
import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';

/** Webhooks that have their turn in this process at a time. Most of the time they wait for endpoints. */
const CONCURRENCY = 100;
/** How often it looks for jobs whose time has come; PostgreSQL announces new ones. */
const POLL_EVERY = seconds(1);
const RETURN_AFTER = seconds(10);

interface Tasks {
  readonly deliver: (webhookId: string) => Promise<void>;
}

/** Starts to work on jobs. The library is loaded here: a service without webhooks does not pay for it. */
export async function startQueue(pgPool: Pool, { deliver }: Tasks): Promise<Runner> {
  const { Logger, run } = await import('graphile-worker');
  return run({
    pgPool,
    noHandleSignals: true, // the service has its own order of stopping
    logger: new Logger(() => forward),
    taskList: { deliver: (payload) => deliver((payload as { webhookId: string }).webhookId) },
    preset: {
      worker: {
        concurrentJobs: CONCURRENCY,
        pollInterval: POLL_EVERY,
        // One poll fetches jobs for all; jobs that cannot begin soon are given back.
        localQueue: { size: CONCURRENCY, ttl: RETURN_AFTER },
        gracefulShutdownAbortTimeout: seconds(3),
        // Without batches the library awaits neither: a connection that is lost at that time would end the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

const logger = new NestLogger('Job queue');

function forward(level: string, message: string): void {
  // Tasks hold no connection while they wait for endpoints, which the library cannot know.
  if (message.includes('maxPoolSize')) return;
  if (level === 'error' || level === 'warning') logger.warn(message);
  else logger.debug(message);
}
