// naming/ makes words of identifiers, for texts.

/** The words of a name: `petToy`, `PetToy` and `pet_toy` become "pet toy". */
export const wordsOf = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[._]/g, ' ')
    .toLowerCase()
    .trim();

/** The words of a name as a title: "Pet toy". */
export function titleOf(name: string): string {
  const words = wordsOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
