import { parseInt64 } from './int64.js';
import { numberText } from './number-texts.js';
import { parseJson } from './parse-json.js';

/** The value of a JSON text of ours; 64-bit integers digit for digit, as `Int64`. The opposite of `writeJson`. */
export function readJson(text: string): unknown {
  const value = parseJson(text);
  return /\d{16}/.test(text) ? exact(value) : value;
}

/** With the integers that a double does not hold as bigints. */
function exact(value: unknown, holder?: object, name: string | number = ''): unknown {
  if (typeof value === 'number') return (holder && parseInt64(numberText(holder, name) ?? '')) ?? value;
  if (Array.isArray(value)) return value.map((item, index) => exact(item, value, index));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, exact(item, value, key)]));
}
