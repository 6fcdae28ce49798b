// terminal/ asks and tells a person at a terminal, and ends a process. No command.

import { writeJson } from '../json/write-json.js';

export interface Json {
  readonly json?: true;
}

/** Prints the result of a command as JSON or as text. */
export function print(json: true | undefined, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? visibleLines(writeJson(value, 2)) : text()}\n`);
}

/** A table. Escapes control characters, so that a cell cannot control the terminal or imitate another row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(visible));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Control characters, line breaks, line and paragraph separators, bidirectional controls and lone surrogates.
 */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const EACH = new RegExp(INVISIBLE, 'gu');

export const isVisible = (text: string): boolean => !INVISIBLE.test(text);

/** Escapes invisible characters as JSON does: `\u001b`. */
export const visible = (text: string): string => text.replace(EACH, escape);

/** As `visible()`, but keeps line breaks. */
const visibleLines = (text: string): string =>
  text.replace(EACH, (character) => (character === '\n' ? '\n' : escape(character)));

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
