/**
 * The code of a system error of Node.js (`ENOENT`) or the SQLSTATE of an error of PostgreSQL (`28P01`), also
 * of one that TypeORM has wrapped. Empty if there is none.
 */
export const errorCodeOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : '';
