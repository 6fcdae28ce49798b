import { parse } from 'lossless-json';
import { parseInt64 } from './int64.js';

/** Levels of arrays and objects. Code that walks a parsed body is recursive, so the depth must be limited. */
const MAX_DEPTH = 32;

/**
 * Parses JSON with exact 64-bit integers: a `bigint` beyond 2^53 - 1.
 * @throws JsonError for invalid JSON (RFC 8259) and for nesting deeper than `MAX_DEPTH` (RFC 8259, section 9)
 */
export function parseJson(text: string): unknown {
  const value = parsed(text);
  if (isDeeperThan(MAX_DEPTH, value)) throw new JsonError(TOO_DEEP);
  return value;
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw new JsonError(TOO_DEEP); // lossless-json is recursive
    throw new JsonError(`an unexpected ${problemIn(text)}`);
  }
}

/** Parses JSON that `writeJson` has written, of any depth. */
export function readJson(text: string): unknown {
  return needsLibrary(text) ? exactly(text) : (JSON.parse(text) as unknown);
}

/**
 * Whether the text may contain a number that a double cannot hold, or a backslash. V8 13 and 14 can confuse escaped property
 * names with names in texts parsed earlier (nodejs/node#63785), so one client could change the data of another.
 */
const needsLibrary = (text: string): boolean => text.includes('\\') || /\d{16}/.test(text);

const exactly = (text: string): unknown =>
  parse(text, null, {
    parseNumber: (number) => parseInt64(number) ?? Number(number),
    onDuplicateKey: ({ newValue }) => newValue,
  });

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(levels - 1, item));
}

/** V8's own messages differ between versions and often lack the position. */
function problemIn(text: string): string {
  const at = Math.min(text.length, positionOfMistake(text));
  const line = text.slice(0, at).split('\n').length;
  const column = at - text.lastIndexOf('\n', at - 1);
  return `${at < text.length ? 'character' : 'end'} at line ${line}, column ${column}`;
}

function positionOfMistake(text: string): number {
  try {
    exactly(text);
    return text.length;
  } catch (error) {
    if (error instanceof RangeError) throw new JsonError(TOO_DEEP);
    return Number(/ at position (\d+)$/.exec(String(error))?.[1]);
  }
}

const TOO_DEEP = `a value nested deeper than ${MAX_DEPTH} levels`;

/** Text that is not valid JSON or is nested too deeply. */
export class JsonError extends SyntaxError {}
