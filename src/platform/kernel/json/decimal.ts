/** The digits of an exact decimal, as in `numeric(precision, scale)` of PostgreSQL. */
export interface Decimal {
  /** All digits, before and after the point. */
  readonly precision: number;
  /** Digits after the point. */
  readonly scale: number;
  readonly mayBeNegative?: boolean;
}

/**
 * The form of the texts of such a decimal, as a regular expression of JSON Schema: no exponent, no sign but a
 * minus, no leading zeros.
 */
export function decimalPattern({ precision, scale, mayBeNegative = false }: Decimal): string {
  const before = precision - scale;
  const whole = before === 0 ? '0' : `(0|[1-9]\\d{0,${before - 1}})`;
  const fraction = scale === 0 ? '' : `(\\.\\d{1,${scale}})?`;
  return `^${mayBeNegative ? '-?' : ''}${whole}${fraction}$`;
}

export const isDecimal = (text: string, decimal: Decimal): boolean =>
  text.length <= decimal.precision + 3 && new RegExp(decimalPattern(decimal)).test(text);
