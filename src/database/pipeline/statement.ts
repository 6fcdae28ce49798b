import { hash } from 'node:crypto';
import utils, { type Sendable } from 'pg/lib/utils.js';

/** SQL that `pg` prepares once per connection, under its name. */
export interface Statement {
  /** Derived from the text: PostgreSQL cuts longer names after 63 bytes, and two of them could become one. */
  readonly name: string;
  readonly text: string;
}

export function statement(text: string): Statement {
  return { name: hash('sha256', text, 'base64url'), text };
}

/** A statement with its values in the form in which `pg` sends them. */
export interface BoundStatement extends Statement {
  readonly values: readonly Sendable[];
}

/** @throws what `pg` throws for a value that it cannot send, for instance a TypeError for a BigInt within JSON. */
export function bind({ name, text }: Statement, values: readonly unknown[]): BoundStatement {
  return { name, text, values: values.map((value) => utils.prepareValue(value)) };
}

/** Whether both ask for the same. */
export function isSame(one: BoundStatement, other: BoundStatement): boolean {
  return (
    one.name === other.name &&
    one.values.length === other.values.length &&
    one.values.every((value, i) => value === other.values[i])
  );
}
