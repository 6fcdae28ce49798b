import { numberText, rememberNumbers } from './number-texts.js';
import { hasEscapedName, readEscapedNames } from './read-escaped-names.js';
import { scan } from './scan.js';
import { syntaxErrorAt } from './syntax-error-at.js';
import { parseInt64 } from './int64.js';

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
  const value = parse(text);
  if (hasSpecialNumbers && typeof value === 'object' && value !== null) rememberNumbers(text, value);
  return value;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return text.includes('\\') && hasEscapedName(text) ? readEscapedNames(text) : value;
  } catch {
    const at = syntaxErrorAt(text);
    throw new JsonError(at < text.length ? 'syntax' : 'end', text, at);
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
