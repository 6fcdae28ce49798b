import { keepNumberTexts, type NumberTexts } from './number-texts.js';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  isDigit,
  MANY_DIGITS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from './scan.js';

const COLON = ':'.charCodeAt(0);
const MINUS = '-'.charCodeAt(0);
const POINT = '.'.charCodeAt(0);
const LETTER_U = 'u'.charCodeAt(0);

const isSpace = (char: number): boolean => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
/** Whether a string may contain it without a backslash. */
const isPlain = (char: number): boolean => char >= 0x20 && char !== QUOTE && char !== BACKSLASH;

/**
 * Reads a JSON text (RFC 8259) for which `JSON.parse` does not suffice: it keeps the text of numbers, and `at` is the
 * offset of the first character that is not valid, or the end. The nesting must be bounded, for this is recursive.
 */
export class JsonReader {
  at = 0;

  constructor(private readonly text: string) {}

  /** @throws SyntaxError at `at` */
  read(): unknown {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) throw new SyntaxError();
    return value;
  }

  private value(): unknown {
    this.skipSpace();
    switch (this.text.charCodeAt(this.at)) {
      case OPEN_OBJECT:
        return this.object();
      case OPEN_ARRAY:
        return this.array();
      case QUOTE:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(): object {
    const object: Record<string, unknown> = {};
    let texts: NumberTexts | undefined;
    this.at++;
    this.skipSpace();
    if (this.take(CLOSE_OBJECT)) return object;
    do {
      this.skipSpace();
      const name = this.string();
      this.skipSpace();
      this.expect(COLON);
      const value = this.value();
      if (name === '__proto__') define(object, name, value);
      else object[name] = value;
      texts = this.noteNumber(texts, name, value);
      this.skipSpace();
    } while (this.take(COMMA));
    this.expect(CLOSE_OBJECT);
    if (texts) keepNumberTexts(object, texts);
    return object;
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    let texts: NumberTexts | undefined;
    this.at++;
    this.skipSpace();
    if (this.take(CLOSE_ARRAY)) return array;
    do {
      const value = this.value();
      texts = this.noteNumber(texts, array.length, value);
      array.push(value);
      this.skipSpace();
    } while (this.take(COMMA));
    this.expect(CLOSE_ARRAY);
    if (texts) keepNumberTexts(array, texts);
    return array;
  }

  private string(): string {
    const start = this.at;
    let hasEscape = false;
    this.expect(QUOTE);
    for (;;) {
      this.skip(isPlain);
      if (this.take(QUOTE)) break;
      this.escape();
      hasEscape = true;
    }
    const quoted = this.text.slice(start, this.at);
    return hasEscape ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }

  private escape(): void {
    this.expect(BACKSLASH);
    if (!this.take(LETTER_U)) this.expectOneOf('"\\/bfnrt');
    else for (let i = 0; i < 4; i++) this.expectOneOf('0123456789abcdefABCDEF');
  }

  /** The text of the number that was read last, if the double does not determine it. */
  private numberText: string | undefined;

  private number(): number {
    const start = this.at;
    this.take(MINUS);
    if (!this.take(ZERO)) this.digits();
    let isExact = this.at - start < MANY_DIGITS;
    if (this.take(POINT)) {
      isExact = false;
      this.digits();
    }
    if (this.takeOneOf('eE')) {
      isExact = false;
      this.takeOneOf('+-');
      this.digits();
    }
    const text = this.text.slice(start, this.at);
    this.numberText = isExact ? undefined : text;
    return Number(text);
  }

  /** Of two properties with the same name the last one counts. */
  private noteNumber(
    texts: NumberTexts | undefined,
    name: string | number,
    value: unknown,
  ): NumberTexts | undefined {
    const text = typeof value === 'number' ? this.numberText : undefined;
    if (text !== undefined) return (texts ?? new Map<string | number, string>()).set(name, text);
    texts?.delete(name);
    return texts;
  }

  private digits(): void {
    const start = this.at;
    this.skip(isDigit);
    if (this.at === start) throw new SyntaxError();
  }

  private word<T>(word: string, value: T): T {
    for (const char of word) this.expectOneOf(char);
    return value;
  }

  private take(char: number): boolean {
    if (this.text.charCodeAt(this.at) !== char) return false;
    this.at++;
    return true;
  }

  private expect(char: number): void {
    if (!this.take(char)) throw new SyntaxError();
  }

  private takeOneOf(chars: string): boolean {
    const char = this.text[this.at];
    if (char === undefined || !chars.includes(char)) return false;
    this.at++;
    return true;
  }

  private expectOneOf(chars: string): void {
    if (!this.takeOneOf(chars)) throw new SyntaxError();
  }

  private skipSpace(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at++;
  }

  private skip(isMore: (char: number) => boolean): void {
    while (isMore(this.text.charCodeAt(this.at))) this.at++; // at the end the code is NaN
  }
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
