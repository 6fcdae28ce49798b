import type { Command, Option } from 'commander';

/** What may stand after one command of the tree. */
export interface Place {
  /** The words that lead to it, such as `keys create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly options: readonly string[];
  /** The options that want a value, and the values to choose from; none where it is the user's own. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** The places of a program as its `--help` shows them, the program itself first. */
export function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const commands = subcommands.map((subcommand) => subcommand.name());
  const place = {
    path: path.join(' '),
    commands,
    options: options.flatMap(({ long, short }) => long ?? short ?? []),
    values: new Map(options.filter(wantsValue).flatMap(valuesOf)),
  };
  return [place, ...subcommands.flatMap((subcommand) => inside(subcommand, path, commands))];
}

/** Commander's own `help` takes the name of a command beside it. */
function inside(command: Command, path: readonly string[], beside: readonly string[]): Place[] {
  const places = placesOf(command, [...path, command.name()]);
  return command.name() === 'help' ? places.map((place) => ({ ...place, commands: beside })) : places;
}

const namesOf = ({ short, long }: Option): string[] => [short, long].filter((name) => name !== undefined);

const wantsValue = ({ required, optional }: Option): boolean => required || optional;

const valuesOf = (option: Option): [string, readonly string[]][] =>
  namesOf(option).map((name) => [name, option.argChoices ?? []]);
