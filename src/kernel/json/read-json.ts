import { parse } from 'lossless-json';
import { parseInt64 } from './int64.js';

/** The value of a JSON text of ours; 64-bit integers digit for digit, as `Int64`. The opposite of `writeJson`. */
export function readJson(text: string): unknown {
  return /\d{16}/.test(text) ? parse(text, null, numberFrom) : JSON.parse(text);
}

const numberFrom = (text: string): unknown => parseInt64(text) ?? Number(text);
