import { parse, type ParsedUrlQuery, unescape } from 'node:querystring';

/** Half of a surrogate pair, which no text in UTF-8 has. */
const NOT_UTF8 = '\ud800';

/**
 * Plain `name=value` pairs, without the default limit of 1000. What is not UTF-8 in percent-encoding becomes
 * a text that `isUtf8` knows, in a name and in a value: after `unescape` alone, `%E9` would be a true U+FFFD.
 */
export const parseQuery = (text: string | null): ParsedUrlQuery =>
  parse(text ?? '', '&', '=', text?.includes('%') ? ENCODED : PLAIN);

const PLAIN = { maxKeys: 0 };
const ENCODED = { ...PLAIN, decodeURIComponent: decoded };

/** Whether a name or value of a query was UTF-8. */
export const isUtf8 = (text: string): boolean => text.isWellFormed();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return `${unescape(text)}${NOT_UTF8}`;
  }
}
