import { CLOSE_ARRAY, CLOSE_OBJECT, closingQuote, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './scan.js';

const COLON = ':'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/** Whether a name in valid JSON has an escape in it. */
export function hasEscapedName(text: string): boolean {
  let escape = text.indexOf('\\');
  for (let at = text.indexOf('"'); at !== -1 && escape !== -1; at = text.indexOf('"', at)) {
    at = closingQuote(text, at) + 1;
    if (escape > at) continue;
    if (text.charCodeAt(afterSpace(text, at)) === COLON) return true;
    escape = text.indexOf('\\', at);
  }
  return false;
}

/**
 * What `JSON.parse` is to make of valid JSON. V8 13 and 14 take a name with an escape for another one that they have seen at
 * the same place of an object, if that one has a backslash (nodejs/node#63785): what one client has sent would
 * change what the next one sends.
 */
export function readEscapedNames(text: string): unknown {
  return new Reader(text).value();
}

const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(): unknown {
    const char = this.skipSpace();
    if (char === OPEN_OBJECT) return this.object();
    if (char === OPEN_ARRAY) return this.array();
    return char === QUOTE ? this.string() : this.word();
  }

  private string(): string {
    const start = this.at;
    this.at = closingQuote(this.text, start) + 1;
    const text = this.text.slice(start + 1, this.at - 1);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** A number, `true`, `false` or `null`. */
  private word(): unknown {
    const start = this.at;
    while (this.at < this.text.length && !endsWord(this.text.charCodeAt(this.at))) this.at++;
    const text = this.text.slice(start, this.at);
    return WORDS.has(text) ? WORDS.get(text) : Number(text);
  }

  private object(): object {
    const object: Record<string, unknown> = {};
    this.at++;
    while (this.skipSpace() !== CLOSE_OBJECT) {
      const name = this.string();
      this.skipSpace();
      this.at++; // the colon
      const value = this.value();
      if (name === '__proto__') define(object, name, value);
      else object[name] = value;
      if (this.skipSpace() === COMMA) this.at++;
    }
    this.at++;
    return object;
  }

  private array(): unknown[] {
    const array: unknown[] = [];
    this.at++;
    while (this.skipSpace() !== CLOSE_ARRAY) {
      array.push(this.value());
      if (this.skipSpace() === COMMA) this.at++;
    }
    this.at++;
    return array;
  }

  private skipSpace(): number {
    this.at = afterSpace(this.text, this.at);
    return this.text.charCodeAt(this.at);
  }
}

const endsWord = (char: number): boolean =>
  char <= SPACE || char === COMMA || char === CLOSE_ARRAY || char === CLOSE_OBJECT;

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
