import { parseInt64 } from './int64.js';
import { JsonReader } from './json-reader.js';
import { numberText } from './number-texts.js';
import { scan } from './scan.js';

/** Levels of arrays and objects. Code that walks a parsed body is recursive, and the stack is limited. */
const MAX_DEPTH = 32;

/**
 * `JSON.parse` in linear time, which keeps the text of numbers for `numberText`: it tells 9007199254740993 from ...992, and
 * 1 from 1.0.
 * @throws JsonError for invalid JSON (RFC 8259) and for nesting deeper than `MAX_DEPTH` (its section 9)
 */
export function parseJson(text: string): unknown {
  const { tooDeepAt, hasSpecialNumbers } = scan(text, MAX_DEPTH);
  if (tooDeepAt >= 0) throw new JsonError('depth', text, tooDeepAt);
  return hasSpecialNumbers || text.includes('\\') ? readAll(text) : (plainJson(text) ?? readAll(text));
}

/**
 * Texts with a backslash do not come here. V8 13 and 14 take a name with an escape for another one that they have seen at
 * the same place of an object, if that one has a backslash (nodejs/node#63785): what one client has sent would change
 * what the next one sends.
 */
function plainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The messages of V8 differ between versions and often name no position. */
function readAll(text: string): unknown {
  const reader = new JsonReader(text);
  try {
    return reader.read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new JsonError(reader.at < text.length ? 'syntax' : 'end', text, reader.at);
  }
}

const PROBLEMS = {
  syntax: 'an unexpected character',
  end: 'an unexpected end',
  depth: 'a value nested too deep',
} as const;

/** Text that is not valid JSON, or is nested too deep. */
export class JsonError extends SyntaxError {
  /** @param at offset in UTF-16 code units */
  constructor(problem: keyof typeof PROBLEMS, text: string, at: number) {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    super(`${PROBLEMS[problem]} at line ${line}, column ${column}`);
  }
}

/** The value of a JSON text that `writeJson` has written: 64-bit integers are exact. */
export function readJson(text: string): unknown {
  const value = parseJson(text);
  return /\d{16}/.test(text) ? exact(value) : value;
}

function exact(value: unknown, holder?: object, name: string | number = ''): unknown {
  if (typeof value === 'number') return (holder && parseInt64(numberText(holder, name) ?? '')) ?? value;
  if (Array.isArray(value)) return value.map((item, index) => exact(item, value, index));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, exact(item, value, key)]));
}
