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
