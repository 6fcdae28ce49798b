import { parse } from 'lossless-json';
import { parseInt64 } from './int64.js';

/** Levels of arrays and objects. Code that walks a parsed body is recursive, and the stack is limited. */
const MAX_DEPTH = 32;

/**
 * The value of a JSON text with exact 64-bit integers: a `bigint` beyond 2^53 - 1.
 * @throws JsonError for invalid JSON (RFC 8259) and for nesting deeper than `MAX_DEPTH` (its section 9)
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

/** The same for a text that `writeJson` has written, of any depth. */
export function readJson(text: string): unknown {
  return needsLibrary(text) ? exactly(text) : (JSON.parse(text) as unknown);
}

/**
 * Whether a double may not hold a number. Texts with a backslash count too: V8 13 and 14 take a name with an escape for
 * another one that they have seen at the same place of an object, if that one has a backslash (nodejs/node#63785), so what
 * one client has sent would change what the next one sends.
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

/** The messages of V8 differ between versions, and often name no position. */
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

/** Text that is not valid JSON, or is nested too deep. */
export class JsonError extends SyntaxError {}
