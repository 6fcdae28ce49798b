import { type Int64, parseInt64 } from './int64.js';

/** A JSON number that its nearest double does not hold exactly, such as `1.00000000000000001`. */
export class InexactNumber {
  /**
   * @param nearest what `JSON.parse` makes of it
   * @param integer what stands for it where an integer is expected: NaN, which every rule for integers
   *   refuses, if it is none
   * @param exact its value in decimal digits, the same for every spelling
   */
  constructor(
    readonly nearest: number,
    readonly integer: Int64,
    readonly exact: string,
  ) {}
}

const FORM = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
const MAX_DIGITS = 19;

/** @param text a JSON number, in any form */
export function readNumber(text: string): Int64 | InexactNumber {
  const integer = parseInt64(text);
  if (integer !== undefined) return integer;
  const nearest = Number(text);
  if (String(nearest) === text) return nearest;
  const value = decimalOf(text);
  const exact = exactInteger(value);
  if (typeof exact === 'bigint') return new InexactNumber(nearest, exact, String(exact));
  const written = spelled(value);
  if (exact === nearest || (Number.isFinite(nearest) && spelled(decimalOf(String(nearest))) === written))
    return nearest;
  return new InexactNumber(nearest, Number.isInteger(nearest) ? (exact ?? nearest) : nearest, written);
}

/** A decimal number: its digits, without zeros at either end, times a power of ten. */
interface Decimal {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: bigint;
}

function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = FORM.exec(text) ?? [];
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return { sign: '', digits: '0', exponent: 0n };
  const shift = all.length - end - fraction.length;
  return { sign, digits: all.slice(start, end), exponent: BigInt(exponent.replace('+', '')) + BigInt(shift) };
}

const spelled = ({ sign, digits, exponent }: Decimal): string => `${sign}${digits}e${exponent}`;

/** The integer that a number is: NaN if it has a fraction, `undefined` if it is out of range. */
function exactInteger({ sign, digits, exponent }: Decimal): Int64 | undefined {
  if (exponent < 0) return NaN;
  if (BigInt(digits.length) + exponent > MAX_DIGITS) return undefined;
  return parseInt64(sign + digits + '0'.repeat(Number(exponent)));
}

const written = new WeakMap<object, Map<string, InexactNumber>>();

/** Keeps how a member of a parsed object or array was written. */
export function keepInexact(container: object, name: string, number: InexactNumber): void {
  const members = written.get(container) ?? new Map<string, InexactNumber>();
  written.set(container, members.set(name, number));
}

/** The members of a parsed object or array that their doubles do not stand for. */
export const inexactNumbersIn = (container: object): ReadonlyMap<string, InexactNumber> | undefined =>
  written.get(container);
