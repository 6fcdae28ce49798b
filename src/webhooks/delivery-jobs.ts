import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import { addJob } from './statements.js';

/** Jobs of the queue, as a part of the transaction that makes work for them. */
@Injectable()
export class DeliveryJobs {
  /** Has a webhook get its turn soon. There is at most one job for each that waits. */
  async add(manager: EntityManager, webhookId: Int64): Promise<void> {
    await manager.query(`SELECT ${addJob('$1')}`, [String(webhookId)]);
  }
}
