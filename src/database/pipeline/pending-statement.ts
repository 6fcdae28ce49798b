import { QueryFailedError } from 'typeorm';
import type { RawRows } from './raw-rows.js';
import type { BoundStatement } from './statement.js';

/** A statement that waits for its rows, and everyone who asked for them. */
export interface PendingStatement {
  readonly statement: BoundStatement;
  readonly waiters: Waiter[];
}

export interface Waiter {
  readonly resolve: (rows: RawRows) => void;
  readonly reject: (error: Error) => void;
}

/** Statements that one connection runs one after the other. */
export type Batch = readonly PendingStatement[];

export function resolve({ waiters }: PendingStatement, rows: RawRows): void {
  for (const waiter of waiters) waiter.resolve(rows);
}

export function reject({ waiters }: PendingStatement, error: Error): void {
  for (const waiter of waiters) waiter.reject(error);
}

/** Rejects with what TypeORM throws for a query that failed. */
export function rejectFailed(pending: PendingStatement, error: Error): void {
  const { text, values } = pending.statement;
  reject(pending, new QueryFailedError(text, [...values], error));
}
