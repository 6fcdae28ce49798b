import { type Int64, parseInt64 } from './int64.js';

/** A JSON number that its nearest double does not stand for exactly, where an integer is expected. */
export class WrittenNumber {
  /**
   * @param nearest what `JSON.parse` makes of it
   * @param integer what it is as a 64-bit integer, or NaN if it is none, which every rule for integers refuses
   */
  constructor(
    readonly nearest: number,
    readonly integer: Int64,
  ) {}
}

const FORM = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
const MAX_DIGITS = 19;

/** @param text a JSON number, in any form */
export function readNumber(text: string): Int64 | WrittenNumber {
  const integer = parseInt64(text);
  if (integer !== undefined) return integer;
  const nearest = Number(text);
  if (!Number.isInteger(nearest)) return nearest;
  const exact = exactInteger(text);
  return exact === undefined || exact === nearest ? nearest : new WrittenNumber(nearest, exact);
}

/** The integer that a number in any form is: NaN if it has a fraction, `undefined` if it is out of range. */
function exactInteger(text: string): Int64 | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = FORM.exec(text) ?? [];
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return 0;
  const zeros = Number(exponent) - fraction.length + (all.length - end);
  if (zeros < 0) return NaN;
  if (end - start + zeros > MAX_DIGITS) return undefined;
  return parseInt64(sign + all.slice(start, end) + '0'.repeat(zeros));
}

const written = new WeakMap<object, Map<string, WrittenNumber>>();

/** Keeps how a member of a parsed object or array was written. */
export function keepWritten(container: object, name: string, number: WrittenNumber): void {
  const members = written.get(container) ?? new Map<string, WrittenNumber>();
  written.set(container, members.set(name, number));
}

/** The members of a parsed object or array that their doubles do not stand for. */
export const writtenIn = (container: object): ReadonlyMap<string, WrittenNumber> | undefined =>
  written.get(container);
