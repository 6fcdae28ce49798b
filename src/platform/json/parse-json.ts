import { parse } from 'lossless-json';
import { parseInt64 } from './int64.js';
import { keepWritten, readNumber, WrittenNumber } from './written-number.js';

/** Levels of arrays and objects. Code that walks a parsed body is recursive, so the depth must be limited. */
const MAX_DEPTH = 32;
/** Items of all arrays together. To make and check the instances of a DTO takes microseconds for each. */
const MAX_ITEMS = 1_000;

/**
 * Parses JSON with exact 64-bit integers: a `bigint` beyond 2^53 - 1. Other numbers are the nearest double; `writtenIn()` tells
 * which of them are not the integer that this double is.
 * @throws JsonError for invalid JSON (RFC 8259), and beyond `MAX_DEPTH` or `MAX_ITEMS` (RFC 8259, section 9)
 */
export function parseJson(text: string): unknown {
  const value = parsed(text);
  if (countItems(value, MAX_DEPTH) > MAX_ITEMS) throw new JsonError(`more than ${MAX_ITEMS} array items`);
  return value instanceof WrittenNumber ? value.nearest : value;
}

function parsed(text: string): unknown {
  try {
    return parse(text, null, { parseNumber: readNumber, onDuplicateKey: lastOne });
  } catch (error) {
    if (error instanceof RangeError) throw new JsonError(TOO_DEEP); // lossless-json is recursive
    throw new JsonError(`an unexpected ${problemIn(text, error)}`);
  }
}

/** Parses JSON that `writeJson` has written. */
export const readJson = (text: string): unknown =>
  parse(text, null, {
    parseNumber: (number) => parseInt64(number) ?? Number(number),
    onDuplicateKey: lastOne,
  });

/** Of duplicate names, the last one counts, as in JSON.parse and PostgreSQL. */
const lastOne = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/** The number of items of all arrays in a value, whose numbers become plain ones. @throws JsonError if it has more levels */
function countItems(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return 0;
  if (levels === 0) throw new JsonError(TOO_DEEP);
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (items.some((item) => item instanceof WrittenNumber)) makePlain(value as Record<string, unknown>);
  const inside = items.reduce<number>((count, item) => count + countItems(item, levels - 1), 0);
  return Array.isArray(value) ? inside + items.length : inside;
}

function makePlain(container: Record<string, unknown>): void {
  for (const [name, item] of Object.entries(container)) {
    if (!(item instanceof WrittenNumber)) continue;
    keepWritten(container, name, item);
    container[name] = item.nearest;
  }
}

/** @param error of lossless-json, whose message ends with the position */
function problemIn(text: string, error: unknown): string {
  const position = Number(/ at position (\d+)$/.exec(String(error))?.[1] ?? text.length);
  const at = Math.min(text.length, position);
  const line = text.slice(0, at).split('\n').length;
  const column = at - text.lastIndexOf('\n', at - 1);
  const what = at === text.length ? 'end' : text[at] === '\ufeff' ? 'byte order mark' : 'character';
  return `${what} at line ${line}, column ${column}`;
}

const TOO_DEEP = `a value nested deeper than ${MAX_DEPTH} levels`;

/** Text that is not valid JSON, is nested too deeply, or has too many items. */
export class JsonError extends SyntaxError {}
