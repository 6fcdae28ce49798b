import pg from 'pg';
import { int64FromDatabase } from '../../../kernel/json/int64.js';

const { builtins } = pg.types;
/** Its types say otherwise. */
const arrays = pg.types.arrayParser as unknown as {
  create(text: string, transform: (entry: string | null) => unknown): { parse(): unknown[] };
};
/** Arrays of these types, which `pg` has no names for. */
const ARRAYS = { timestamp: 1115, date: 1182, timestamptz: 1185, interval: 1187 };

/** A date or timestamp with `DateStyle=ISO`. */
const ISO = /^(\d{4,}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?([+-]\d\d(:\d\d){0,2})?)?( BC)?|-?infinity)$/;
/** An interval with `IntervalStyle=postgres`. */
const INTERVAL =
  /^([+-]?\d+ years? ?)?([+-]?\d+ mons? ?)?([+-]?\d+ days? ?)?([+-]?\d{2,}:\d\d:\d\d(\.\d{1,6})?)?$/;

type Parse = (text: string) => unknown;

/** @throws Error for what `pg` would silently read as null, an invalid date or an interval of nothing */
const strict =
  (form: RegExp, parse: Parse): Parse =>
  (text) => {
    const value = form.test(text) && text !== '' ? parse(text) : undefined;
    if (value === undefined || (value instanceof Date && Number.isNaN(value.getTime())))
      throw new Error(`PostgreSQL has sent ${JSON.stringify(text)}, which is not a time that can be read.`);
    return value;
  };

const time = strict(ISO, pg.types.getTypeParser(builtins.TIMESTAMPTZ) as Parse);
const interval = strict(INTERVAL, pg.types.getTypeParser(builtins.INTERVAL) as Parse);
const arrayOf =
  (parse: Parse): Parse =>
  (text) =>
    arrays.create(text, (entry) => (entry === null ? null : parse(entry))).parse();

/** By the OIDs of their types. */
const PARSERS = new Map<number, Parse>([
  [builtins.INT8, int64FromDatabase],
  ...[builtins.DATE, builtins.TIMESTAMP, builtins.TIMESTAMPTZ].map((oid) => [oid, time] as const),
  [builtins.INTERVAL, interval],
  ...[ARRAYS.date, ARRAYS.timestamp, ARRAYS.timestamptz].map((oid) => [oid, arrayOf(time)] as const),
  [ARRAYS.interval, arrayOf(interval)],
]);

/**
 * Parses `bigint` columns as exact 64-bit integers, for which `pg` returns strings by default, and reads no
 * time in another format than the one that the connection asks for. A query with such a value fails.
 */
export function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  const parse = format === 'binary' ? undefined : PARSERS.get(oid);
  return parse ?? pg.types.getTypeParser(oid, format);
}
