import { setNumberTexts } from './number-texts.js';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  closingQuote,
  COMMA,
  isDigit,
  isPartOfNumber,
  MANY_DIGITS,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './scan.js';

/**
 * Remembers how numbers were written, where the double alone does not tell: `numberText` finds them. One pass over
 * the text, side by side with its parsed value.
 * @param text valid JSON
 * @param value what `JSON.parse` has made of it
 */
export function rememberNumbers(text: string, value: object): void {
  const levels: Level[] = [];
  let depth = -1;
  for (let at = 0; at < text.length; at++) {
    const level = levels[depth];
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = closingQuote(text, at);
      level?.string(at, end);
      at = end;
    } else if (char === OPEN_ARRAY || char === OPEN_OBJECT) {
      const holder = level ? level.child(text) : value;
      (levels[++depth] ??= new Level()).open(holder, char === OPEN_ARRAY);
    } else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) depth--;
    else if (char === COMMA) level?.comma();
    else if (char === MINUS || isDigit(char)) {
      const end = endOfNumber(text, at);
      level?.number(text, at, end);
      at = end - 1;
    }
  }
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (isPartOfNumber(text.charCodeAt(at))) at++;
  return at;
}

/** An array or object that the pass is in. One for each depth, used again and again. */
class Level {
  private holder: unknown;
  private isArray = false;
  private index = 0;
  private nameStart = 0;
  private nameEnd = 0;
  private awaitsName = false;
  private texts: Map<string | number, string> | undefined;

  open(holder: unknown, isArray: boolean): void {
    this.holder = holder;
    this.isArray = isArray;
    this.index = 0;
    this.awaitsName = !isArray;
    this.texts = undefined;
    // Of two properties with one name the last one counts, and what the first one left does not.
    if (isObject(holder)) setNumberTexts(holder, undefined);
  }

  comma(): void {
    this.index++;
    this.awaitsName = !this.isArray;
  }

  string(start: number, end: number): void {
    if (!this.awaitsName) return;
    this.awaitsName = false;
    this.nameStart = start;
    this.nameEnd = end;
  }

  /** The parsed value of what begins here. */
  child(text: string): unknown {
    return isObject(this.holder) ? this.holder[this.name(text)] : undefined;
  }

  number(text: string, start: number, end: number): void {
    if (!isObject(this.holder)) return;
    if (isSpecial(text, start, end)) {
      if (!this.texts) setNumberTexts(this.holder, (this.texts = new Map()));
      this.texts.set(this.name(text), text.slice(start, end));
    } else this.texts?.delete(this.name(text));
  }

  private name(text: string): string | number {
    if (this.isArray) return this.index;
    const quoted = text.slice(this.nameStart, this.nameEnd + 1);
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }
}

/** Whether the double alone does not tell how it was written. */
function isSpecial(text: string, start: number, end: number): boolean {
  if (end - start >= MANY_DIGITS) return true;
  for (let at = start + 1; at < end; at++) if (!isDigit(text.charCodeAt(at))) return true;
  return false;
}

const isObject = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null;
