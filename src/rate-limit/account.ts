/**
 * What one principal has used. Whole milliseconds and whole numbers only: V8 keeps small integers inside the object,
 * and a million of these in the memory that is promised.
 */
export class Account {
  constructor(
    /** When the minute began, in milliseconds since the table was made. */
    public minuteStart: number,
    public minuteUsed: number,
    public dayUsed: number,
    /** How much of the day is on record in the ledger: a crash forgets nothing below it. */
    public reserved: number,
  ) {}
}
