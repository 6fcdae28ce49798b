import { parse } from 'lossless-json';
import { type Int64, parseInt64 } from './int64.js';
import { keepInexact, readNumber, InexactNumber } from './inexact-number.js';

/** Levels of arrays and objects. Code that walks a parsed body is recursive, so the depth must be limited. */
const MAX_DEPTH = 32;
/** Items of all arrays together. To make and check the instances of a DTO takes microseconds for each. */
const MAX_ITEMS = 1_000;
/** Members of all objects together. No more fit into 16 KiB. */
const MAX_MEMBERS = 3_000;

/**
 * Parses JSON with exact 64-bit integers: a `bigint` beyond 2^53 - 1. Other numbers are the nearest double;
 * `inexactNumbersIn()` tells which of them this double does not hold exactly.
 * @throws JsonError for invalid JSON (RFC 8259), and beyond `MAX_DEPTH`, `MAX_ITEMS` or `MAX_MEMBERS` (RFC
 *   8259, section 9)
 */
export function parseJson(text: string): unknown {
  const value = parsed(text);
  if (value instanceof InexactNumber) return value.nearest;
  bound(value, MAX_DEPTH, { items: 0, members: 0 });
  return value;
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

/**
 * Parses the JSON of any program as `JSON.parse` does, but for a 64-bit integer that a double would not write
 * with the same digits: it is a `bigint`.
 */
export const parseExactly = (text: string): unknown =>
  LONG_INTEGER.test(text)
    ? parse(text, null, { parseNumber: exactNumber, onDuplicateKey: lastOne })
    : (JSON.parse(text) as unknown);

/** It may stand in a text. */
const LONG_INTEGER = /(?:^|[[,:\s-])\d{16}/;

function exactNumber(text: string): Int64 {
  const [number, integer] = [Number(text), parseInt64(text)];
  return typeof integer === 'bigint' && String(number) !== text ? integer : number;
}

/** Of duplicate names, the last one counts, as in JSON.parse and PostgreSQL. */
const lastOne = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/**
 * Counts the items and members of a value, whose numbers become plain ones.
 * @throws JsonError beyond the limits
 */
function bound(value: unknown, levels: number, count: { items: number; members: number }): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new JsonError(TOO_DEEP);
  const container = value as Record<string, unknown>;
  const names = Object.keys(value);
  if (Array.isArray(value)) count.items += names.length;
  else count.members += names.length;
  if (count.items > MAX_ITEMS) throw new JsonError(TOO_MANY_ITEMS);
  if (count.members > MAX_MEMBERS) throw new JsonError(TOO_MANY_MEMBERS);
  for (const name of names) {
    const item = container[name];
    if (item instanceof InexactNumber) {
      keepInexact(container, name, item);
      container[name] = item.nearest;
    } else bound(item, levels - 1, count);
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

const TOO_MANY_ITEMS = `more than ${MAX_ITEMS} array items`;
const TOO_MANY_MEMBERS = `more than ${MAX_MEMBERS} members of objects`;
const TOO_DEEP = `a value nested deeper than ${MAX_DEPTH} levels`;

/** Text that is not valid JSON, is nested too deeply, or has too many items or members. */
export class JsonError extends SyntaxError {}
