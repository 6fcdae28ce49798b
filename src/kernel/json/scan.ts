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

/** Where the JSON string that starts at `start` has its closing quote; the end of the text if it has none. */
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

/** Digits that a double may not hold. */
export const MANY_DIGITS = 16;

export interface Survey {
  /** Where arrays and objects are nested too deep; -1 if they nowhere are. */
  readonly tooDeepAt: number;
  /** Whether a number has many digits, or a form (`1.0`, `1e1`) that a double does not remember. */
  readonly hasSpecialNumbers: boolean;
}

/** Looks through a text that may be JSON, without parsing it. */
export function survey(text: string, maxDepth: number): Survey {
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
