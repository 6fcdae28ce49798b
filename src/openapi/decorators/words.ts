/** The words of a name: `petToy` and `PetToy` are "pet toy". */
export const wordsOf = (name: string): string =>
  name.replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
