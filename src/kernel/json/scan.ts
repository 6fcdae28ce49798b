export const QUOTE = '"'.charCodeAt(0);
export const BACKSLASH = '\\'.charCodeAt(0);
export const COMMA = ','.charCodeAt(0);
const PLUS = '+'.charCodeAt(0);
const POINT = '.'.charCodeAt(0);
const LOWER_E = 'e'.charCodeAt(0);
const UPPER_E = 'E'.charCodeAt(0);
export const MINUS = '-'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);
export const OPEN_ARRAY = '['.charCodeAt(0);
export const CLOSE_ARRAY = ']'.charCodeAt(0);
export const OPEN_OBJECT = '{'.charCodeAt(0);
export const CLOSE_OBJECT = '}'.charCodeAt(0);

/** Offset of the closing quote of the JSON string at `start`; the end of the text if there is none. */
export function closingQuote(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) break;
    if (char === BACKSLASH) at++;
  }
  return at;
}

export const isDigit = (char: number): boolean => char >= ZERO && char <= NINE;

/** From this number of digits on, a double may not be exact. */
export const MANY_DIGITS = 16;

interface ScanResult {
  /** Offset at which the nesting becomes too deep, or -1. */
  readonly tooDeepAt: number;
  /** Whether a number has many digits, a fraction or an exponent, which a double does not keep. */
  readonly hasSpecialNumbers: boolean;
}

/** Scans a text that may be JSON, without parsing it. */
export function scan(text: string, maxDepth: number): ScanResult {
  let depth = 0;
  let digits = 0;
  let hasSpecialNumbers = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isDigit(char)) {
      if (++digits === MANY_DIGITS) hasSpecialNumbers = true;
      continue;
    }
    if (char === QUOTE) at = closingQuote(text, at);
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      if (++depth > maxDepth) return { tooDeepAt: at, hasSpecialNumbers };
    } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth--;
    else if (digits > 0 && isPartOfNumber(char)) hasSpecialNumbers = true;
    digits = 0;
  }
  return { tooDeepAt: -1, hasSpecialNumbers };
}

/** What may follow the first character of a number. */
export const isPartOfNumber = (char: number): boolean =>
  isDigit(char) || char === POINT || char === LOWER_E || char === UPPER_E || char === PLUS || char === MINUS;
