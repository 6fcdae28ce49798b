/**
 * What a terminal acts on, or what makes a text look like another one: control characters, line and paragraph
 * separators, controls of the direction of writing, lone surrogates. Line breaks too.
 */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const EACH = new RegExp(INVISIBLE, 'gu');

export const isVisible = (text: string): boolean => !INVISIBLE.test(text);

/** The text for a terminal, with such characters as JSON would escape them: `\u001b`. */
export const visible = (text: string): string => text.replace(EACH, escape);

/** The same for text of several lines. */
export const visibleLines = (text: string): string =>
  text.replace(EACH, (character) => (character === '\n' ? '\n' : escape(character)));

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
