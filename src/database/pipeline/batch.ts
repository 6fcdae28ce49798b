import type { QueryResultRow } from 'pg';
import type { Prepared } from './prepared.js';

export type Rows = readonly QueryResultRow[];

/** A statement that is to run, and all who want its rows. */
export interface Waiting {
  readonly run: Prepared;
  readonly done: ((error: Error | undefined, rows: Rows) => void)[];
}

/** Statements that one connection runs one after the other. */
export type Batch = readonly Waiting[];

/** @param error of the last statement, where it failed */
export type End = (error: Error | null) => void;

export function tell({ done }: Waiting, error: Error | undefined, rows: Rows = []): void {
  for (const one of done) one(error, rows);
}
