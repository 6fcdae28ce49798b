export const QUOTE = '"'.charCodeAt(0);
export const BACKSLASH = '\\'.charCodeAt(0);
export const COMMA = ','.charCodeAt(0);
export const OPEN_ARRAY = '['.charCodeAt(0);
export const CLOSE_ARRAY = ']'.charCodeAt(0);
export const OPEN_OBJECT = '{'.charCodeAt(0);
export const CLOSE_OBJECT = '}'.charCodeAt(0);
export const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

export const isDigit = (char: number): boolean => char >= ZERO && char <= NINE;

/** What follows a digit in a number with a fraction or an exponent. */
const isPointOrExponent = (char: number): boolean => char === 0x2e || char === 0x45 || char === 0x65;

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
    else if (digits > 0 && isPointOrExponent(char)) hasSpecialNumbers = true;
    digits = 0;
  }
  return { tooDeepAt: -1, hasSpecialNumbers };
}

/** Offset of the closing quote of the JSON string at `start`; the end of the text if there is none. */
function closingQuote(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) break;
    if (char === BACKSLASH) at++;
  }
  return at;
}
