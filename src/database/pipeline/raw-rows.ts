/** Reads a value of a column from its text. */
export type Parser = (text: string) => unknown;

/** Rows as PostgreSQL sent them. Several requests may share them: each makes objects of its own. */
export interface RawRows {
  /** One for each column. */
  readonly parsers: readonly Parser[];
  readonly rows: readonly (readonly (string | null)[])[];
}
