import { hash } from 'node:crypto';
import pg from 'pg';
import utils, { type Sendable } from 'pg/lib/utils.js';
import { QueryFailedError } from 'typeorm';

/** SQL that `pg` prepares once per connection. */
export interface Statement {
  /** A hash of the text: PostgreSQL truncates names after 63 bytes. */
  readonly name: string;
  readonly text: string;
}

export function statement(text: string): Statement {
  return { name: hash('sha256', text, 'base64url'), text };
}

/** A statement with its values, as `pg` sends them. */
export interface BoundStatement extends Statement {
  readonly values: readonly Sendable[];
}

/** @throws the error of `pg` for a value that it cannot send */
export function bind({ name, text }: Statement, values: readonly unknown[]): BoundStatement {
  return { name, text, values: values.map((value) => utils.prepareValue(value)) };
}

/** The same statement, which PostgreSQL parses and plans anew. */
export const unprepared = (statement: BoundStatement): BoundStatement => ({ ...statement, name: '' });

/** Whether both have the same text and values. */
export function isSame(one: BoundStatement, other: BoundStatement): boolean {
  return (
    one.name === other.name &&
    one.values.length === other.values.length &&
    one.values.every((value, i) => value === other.values[i])
  );
}

/** Parses the text of a column. */
export type Parser = (text: string) => unknown;

/** Rows as lists of their columns. Requests that share them create their own objects. */
export interface RawRows {
  /** One for each column that is the text of PostgreSQL. */
  readonly parsers: readonly Parser[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A statement that waits for its rows, with the requests that share them. */
export interface PendingStatement {
  readonly statement: BoundStatement;
  readonly waiters: Waiter[];
}

interface Waiter {
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

/** Rejects with the error that TypeORM throws for a failed query. */
export function rejectFailed(pending: PendingStatement, error: Error): void {
  const { text, values } = pending.statement;
  reject(pending, new QueryFailedError(text, [...values], error));
}

/** Whether PostgreSQL no longer runs a prepared statement: its columns have changed, or it is gone. @param error of TypeORM, or of `pg` */
export function isStale(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof pg.DatabaseError)) return false;
  return (cause.code === '0A000' && cause.routine === 'RevalidateCachedQuery') || cause.code === '26000';
}
