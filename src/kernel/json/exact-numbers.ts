import { isLosslessNumber, parse } from 'lossless-json';

/** Digits a double may not hold, or a form (`1.0`, `1e1`) that a double does not remember. */
const NEEDS_CARE = /\d{16}|\d[.eE]/;

/** Far more than any body here has. Whatever walks a parsed body does so recursively, and the stack has an end. */
const DEEPEST = 32;

/** How each number was written, for the few texts where the double alone would not tell. */
const writtenAs = new WeakMap<object, Map<string, string>>();

/**
 * `JSON.parse`, and beside it a memory of how numbers were written, so that `numberText` can tell
 * 9007199254740993 from ...992 and 1 from 1.0. Every value looks as `JSON.parse` would make it.
 * @throws SyntaxError for anything RFC 8259 does not allow, and for deeper nesting than `DEEPEST` (its section 9).
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isDeeper(value, DEEPEST)) throw new SyntaxError('The nesting is too deep');
  if (typeof value === 'object' && value !== null && NEEDS_CARE.test(text)) {
    remember(value, parse(text, null, { onDuplicateKey: ({ newValue }) => newValue }));
  }
  return value;
}

/** The digits of a number member as they stood in the JSON text. */
export function numberText(holder: unknown, member: string): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined;
  const value = (holder as Record<string, unknown>)[member];
  if (typeof value !== 'number') return undefined;
  return writtenAs.get(holder)?.get(member) ?? String(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function remember(plain: object, exact: unknown): void {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(exact as object)) {
    if (isLosslessNumber(value)) texts.set(key, value.toString());
    else if (typeof value === 'object' && value !== null) {
      const twin: unknown = (plain as Record<string, unknown>)[key];
      if (typeof twin === 'object' && twin !== null) remember(twin, value);
    }
  }
  writtenAs.set(plain, texts);
}
