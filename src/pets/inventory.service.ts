import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock, seconds, withStatementTimeout } from '../platform/index.js';
import type { InventoryResponse } from './dto/inventory.response.js';
import { PetStatus } from './pet-status.js';

const AT_LEAST = seconds(1);
/** A count takes at most a tenth of the time of one connection, however large the table is. */
const REST = 10;
const TIMEOUT = seconds(30);

/**
 * Counts pets, one count at a time in this process. Meanwhile, and for a while afterwards, everyone gets the
 * last one, unless a later one has failed: otherwise an old count would hide an outage.
 */
@Injectable()
export class InventoryService {
  private last?: { readonly inventory: InventoryResponse; readonly validUntil: number };
  private running?: Promise<InventoryResponse>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  count(): Promise<InventoryResponse> {
    const { last } = this;
    if (last && (this.running || this.clock.elapsed() < last.validUntil))
      return Promise.resolve(last.inventory);
    return (this.running ??= this.countNow()
      .catch((error: unknown) => {
        this.last = undefined;
        throw error;
      })
      .finally(() => {
        this.running = undefined;
      }));
  }

  private async countNow(): Promise<InventoryResponse> {
    const began = this.clock.elapsed();
    const rows = await withStatementTimeout(this.dataSource, TIMEOUT, (manager) =>
      manager.query<{ status: PetStatus; count: number }[]>(
        'SELECT status, count(*) FROM pets GROUP BY status',
      ),
    );
    const counts = new Map(rows.map(({ status, count }) => [status, count]));
    const inventory = {
      available: counts.get(PetStatus.Available) ?? 0,
      pending: counts.get(PetStatus.Pending) ?? 0,
      sold: counts.get(PetStatus.Sold) ?? 0,
    };
    const now = this.clock.elapsed();
    this.last = { inventory, validUntil: now + Math.max(AT_LEAST, REST * (now - began)) };
    return inventory;
  }
}
