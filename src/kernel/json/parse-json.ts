import { JsonError } from './json-error.js';
import { rememberNumbers } from './remember-numbers.js';
import { survey } from './scan.js';
import { syntaxErrorAt } from './syntax-error-at.js';

/** Levels of arrays and objects. What walks a parsed body does so recursively, and the stack has an end. */
const MAX_DEPTH = 32;

/**
 * `JSON.parse`, in time that grows with the length of the text and with nothing else, and with a memory of how numbers
 * were written: `numberText` tells 9007199254740993 from ...992, and 1 from 1.0.
 * @throws JsonError for what RFC 8259 does not allow, and for deeper nesting than `MAX_DEPTH` (its section 9)
 */
export function parseJson(text: string): unknown {
  const { tooDeepAt, hasSpecialNumbers } = survey(text, MAX_DEPTH);
  if (tooDeepAt >= 0) throw new JsonError('depth', text, tooDeepAt);
  const value = parse(text);
  if (hasSpecialNumbers && typeof value === 'object' && value !== null) rememberNumbers(text, value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const at = syntaxErrorAt(text);
    throw new JsonError(at < text.length ? 'syntax' : 'end', text, at);
  }
}
