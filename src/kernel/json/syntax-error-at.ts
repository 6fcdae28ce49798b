import { BACKSLASH, isDigit, QUOTE } from './scan.js';

/**
 * Offset of the first character that is not valid JSON (RFC 8259), or the end of the text. The messages of V8 differ
 * between versions and often name no position.
 * @param text invalid JSON with bounded nesting, for this is recursive
 */
export function syntaxErrorAt(text: string): number {
  const reader = new Reader(text);
  reader.document();
  return reader.at;
}

const isSpace = (char: number): boolean => char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
/** Whether a string may contain it without a backslash. */
const isPlain = (char: number): boolean => char >= 0x20 && char !== QUOTE && char !== BACKSLASH;

/** Each method reads one token and returns whether it is valid; otherwise `at` is the offset of the error. */
class Reader {
  at = 0;

  constructor(private readonly text: string) {}

  document(): void {
    if (this.value()) this.skip(isSpace);
  }

  private value(): boolean {
    this.skip(isSpace);
    switch (this.text[this.at]) {
      case '{':
        return this.items('}', () => this.property());
      case '[':
        return this.items(']', () => this.value());
      case '"':
        return this.string();
      case 't':
        return this.word('true');
      case 'f':
        return this.word('false');
      case 'n':
        return this.word('null');
      default:
        return this.number();
    }
  }

  private items(close: string, item: () => boolean): boolean {
    this.at++;
    this.skip(isSpace);
    if (this.take(close)) return true;
    for (;;) {
      if (!item()) return false;
      this.skip(isSpace);
      if (this.take(close)) return true;
      if (!this.take(',')) return false;
    }
  }

  private property(): boolean {
    this.skip(isSpace);
    if (this.text[this.at] !== '"' || !this.string()) return false;
    this.skip(isSpace);
    return this.take(':') && this.value();
  }

  private string(): boolean {
    this.at++;
    for (;;) {
      this.skip(isPlain);
      if (this.take('"')) return true;
      if (!this.take('\\') || !this.escape()) return false;
    }
  }

  private escape(): boolean {
    if (!this.take('u')) return this.oneOf('"\\/bfnrt');
    for (let i = 0; i < 4; i++) if (!this.oneOf('0123456789abcdefABCDEF')) return false;
    return true;
  }

  private number(): boolean {
    this.take('-');
    if (!this.take('0') && !this.digits()) return false;
    if (this.take('.') && !this.digits()) return false;
    if (!this.oneOf('eE')) return true;
    this.oneOf('+-');
    return this.digits();
  }

  private digits(): boolean {
    const start = this.at;
    this.skip(isDigit);
    return this.at > start;
  }

  private word(word: string): boolean {
    for (const char of word) if (!this.take(char)) return false;
    return true;
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private oneOf(chars: string): boolean {
    const char = this.text[this.at];
    return char !== undefined && chars.includes(char) && this.take(char);
  }

  private skip(isMore: (char: number) => boolean): void {
    while (isMore(this.text.charCodeAt(this.at))) this.at++; // at the end the code is NaN
  }
}
