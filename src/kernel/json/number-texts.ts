/** How the numbers of one object or array were written, by name or index. */
export type NumberTexts = Map<string | number, string>;

class Returning {
  constructor(holder: object) {
    return holder; // what extends this class adds its private field to this very object
  }
}

/**
 * The number texts of an object as a private field of that object, which nobody sees and which goes with it. A
 * `WeakMap` does the same and takes ten times as long for ten thousand objects, most of it in the garbage collector.
 */
class Remembering extends Returning {
  #texts: NumberTexts | undefined;

  static set(holder: object, texts: NumberTexts | undefined): void {
    if (#texts in holder) holder.#texts = texts;
    else if (texts) new Remembering(holder).#texts = texts;
  }

  static get(holder: object): NumberTexts | undefined {
    return #texts in holder ? holder.#texts : undefined;
  }
}

export function setNumberTexts(holder: object, texts: NumberTexts | undefined): void {
  Remembering.set(holder, texts);
}

/** Lets a copy of an object, or of some of its properties, tell what the object can tell. */
export function copyNumberTexts(from: object, to: object): void {
  Remembering.set(to, Remembering.get(from));
}

/**
 * How a number was written: a property of an object that `parseJson` has read, or an item of an array. `undefined` for
 * what is not a number, and for one of another parser's that may have been rounded.
 */
export function numberText(holder: unknown, name: string | number): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined;
  const value = (holder as Record<string | number, unknown>)[name];
  if (typeof value !== 'number') return undefined;
  const text = Remembering.get(holder)?.get(Array.isArray(holder) ? Number(name) : name);
  return text ?? (isRounded(value) ? undefined : String(value));
}

const isRounded = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
