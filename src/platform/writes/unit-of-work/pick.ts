/**
 * Declares that a DTO consists of members of its row, as they are: `static readonly from = pick<Pet,
 * PetResponse>('id', 'name')`. An event with such data is made by PostgreSQL, in the statement that inserts
 * the row, where each member is a text, an integer, a UUID or a boolean.
 * @param members all of them: a forgotten one, or one of another type than in the row, does not compile
 * @throws TypeError if a member is named twice
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the row, which is checked against the DTO
export function pick<Row extends { readonly [Name in keyof Dto]: Dto[Name] }, Dto extends object>(
  ...members: Each<keyof Dto & string>
): (row: Row) => Dto {
  const names: readonly (keyof Dto & string)[] = members;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new TypeError(`pick() names ${twice} twice.`);
  const from = (row: Row): Dto => {
    const dto: Partial<Record<keyof Dto, unknown>> = {};
    for (const name of names) dto[name] = row[name];
    return dto as Dto;
  };
  projections.set(from, names);
  return from;
}

/** The members that {@link pick} was given; undefined if it has not made this function. */
export const membersOf = (from: object): readonly string[] | undefined => projections.get(from);

const projections = new WeakMap<object, readonly string[]>();

/** A tuple of as many names as there are. */
type Each<Names, All = Names, Tuple extends All[] = []> = [Names] extends [never]
  ? Tuple
  : Each<Exclude<Names, Last<Names>>, All, [...Tuple, All]>;

/** One of the members of a union: an intersection of functions is called as the last one of them. */
type Last<Union> = (Union extends unknown ? (member: () => Union) => void : never) extends (
  members: infer Functions,
) => void
  ? Functions extends () => infer Member
    ? Member
    : never
  : never;
