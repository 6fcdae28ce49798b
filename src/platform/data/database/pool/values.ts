import pg from 'pg';
import { int64FromDatabase } from '../../../kernel/json/int64.js';
import { parseExactly } from '../../../kernel/json/parse-json.js';

const { builtins } = pg.types;
/** Its types say otherwise. */
const arrays = pg.types.arrayParser as unknown as {
  create(text: string, transform: (entry: string | null) => unknown): { parse(): unknown[] };
};
/** Arrays of these types, which `pg` has no names for. */
const ARRAYS = {
  json: 199,
  int8: 1016,
  timestamp: 1115,
  date: 1182,
  timestamptz: 1185,
  interval: 1187,
  numeric: 1231,
  jsonb: 3807,
};

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
/** As text: at midnight of the local zone it would be another day in UTC. */
const day = strict(ISO, String);
const interval = strict(INTERVAL, pg.types.getTypeParser(builtins.INTERVAL) as Parse);
const arrayOf =
  (parse: Parse): Parse =>
  (text) =>
    arrays.create(text, (entry) => (entry === null ? null : parse(entry))).parse();

/** By the OIDs of their types. */
const PARSERS = new Map<number, Parse>([
  [builtins.INT8, int64FromDatabase],
  ...[builtins.TIMESTAMP, builtins.TIMESTAMPTZ].map((oid) => [oid, time] as const),
  [builtins.DATE, day],
  [builtins.INTERVAL, interval],
  ...[ARRAYS.timestamp, ARRAYS.timestamptz].map((oid) => [oid, arrayOf(time)] as const),
  [ARRAYS.date, arrayOf(day)],
  [ARRAYS.interval, arrayOf(interval)],
  [ARRAYS.int8, arrayOf(int64FromDatabase)],
  [ARRAYS.numeric, arrayOf(String)], // as a `numeric` itself
  ...[builtins.JSON, builtins.JSONB].map((oid) => [oid, parseExactly] as const),
  ...[ARRAYS.json, ARRAYS.jsonb].map((oid) => [oid, arrayOf(parseExactly)] as const),
]);

/**
 * Parses `bigint` columns as exact 64-bit integers, for which `pg` returns strings by default, rounds no
 * number in arrays and JSON, gives a day as its text, and reads no time in another format than the one that the connection asks for. A
 * query with such a value fails.
 */
export function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  const parse = format === 'binary' ? undefined : PARSERS.get(oid);
  return parse ?? pg.types.getTypeParser(oid, format);
}

/**
 * A value for `pg`, which writes a date in local time and leaves the seconds of its offset out. Zones had such
 * offsets before they had whole minutes: New York was at -04:56:02 until 1883, Amsterdam at +00:19:32 until
 * 1937. It stays local time, because a `timestamp` has no offset.
 */
export function withExactDates(value: unknown): unknown {
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withExactDates);
  return value instanceof Date && value.getSeconds() - value.getUTCSeconds() ? localTime(value) : value;
}

function localTime(date: Date): string {
  const local = new Date(0);
  local.setUTCFullYear(date.getFullYear(), date.getMonth(), date.getDate());
  local.setUTCHours(date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds());
  const offset = Math.abs(local.getTime() - date.getTime()) / 1000; // seconds
  const [hours, minutes, seconds] = [offset / 3600, (offset / 60) % 60, offset % 60].map((part) =>
    padded(part, 2),
  );
  const year = local.getUTCFullYear();
  const iso = local.toISOString(); // a year before 0 has a sign and six digits
  const sign = local < date ? '-' : '+';
  return (
    `${padded(year < 1 ? 1 - year : year, 4)}${iso.slice(iso.indexOf('-', 1), -1)}` +
    `${sign}${hours}:${minutes}:${seconds}${year < 1 ? ' BC' : ''}`
  );
}

const padded = (part: number, digits: number): string => String(Math.floor(part)).padStart(digits, '0');
