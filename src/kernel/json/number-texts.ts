/** The source text of the numbers of one object or array, by name or index. */
export type NumberTexts = Map<string | number, string>;

class ReturnArgument {
  constructor(holder: object) {
    return holder; // a derived class adds its private field to this object
  }
}

/** Keeps the number texts in a private field of the object: for 10 000 objects ten times as fast as a `WeakMap`. */
class NumberTextField extends ReturnArgument {
  #texts: NumberTexts | undefined;

  static set(holder: object, texts: NumberTexts): void {
    if (#texts in holder) holder.#texts = texts;
    else new NumberTextField(holder).#texts = texts;
  }

  static get(holder: object): NumberTexts | undefined {
    return #texts in holder ? holder.#texts : undefined;
  }
}

export function keepNumberTexts(holder: object, texts: NumberTexts): void {
  NumberTextField.set(holder, texts);
}

/** For a copy of an object or of some of its properties. */
export function copyNumberTexts(from: object, to: object): void {
  const texts = NumberTextField.get(from);
  if (texts) NumberTextField.set(to, texts);
}

/**
 * The source text of a number: a property of an object, or an item of an array, that `parseJson` has parsed. `undefined`
 * for other values, and for a number of another parser that may be rounded.
 */
export function numberText(holder: unknown, name: string | number): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined;
  const value = (holder as Record<string | number, unknown>)[name];
  if (typeof value !== 'number') return undefined;
  const text = NumberTextField.get(holder)?.get(Array.isArray(holder) ? Number(name) : name);
  return text ?? (isRounded(value) ? undefined : String(value));
}

const isRounded = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
