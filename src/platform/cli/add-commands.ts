import type { Command } from 'commander';

/** Adds the commands of a module to the `petstore` program. */
export type AddCommands = (program: Command) => void;
