/** SQL that `pg` prepares once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** One run of a statement. */
export interface Run extends Statement {
  readonly values: unknown[];
}

/** Whether two runs ask for the same. */
export function isSame(one: Run, other: Run): boolean {
  return (
    one.name === other.name &&
    one.values.length === other.values.length &&
    one.values.every((value, i) => value === other.values[i])
  );
}
