import type { Command } from 'commander';
import { type Place, placesOf } from './command-tree.js';

export const INSTALL = `echo 'source <(petstore completion bash)' >> ~/.bashrc`;

/** A script that completes the commands, options and values of a program. Works with the bash 3.2 of macOS too. */
export function bashCompletion(program: Command): string {
  const [root, ...places] = placesOf(program);
  const all = root === undefined ? places : [...places, root];
  return `# Completes petstore in bash. To install:
#   ${INSTALL}
_petstore() {
  local path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${places.map(({ path }) => `      '${parentOf(path)}') path='${path}' ;;`).join('\n')}
    esac
  done
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${all.flatMap(valueCases).join('\n')}
    *) case "$path" in
${all.map(wordCase).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _petstore petstore
`;
}

/** The path so far and the word that follows it, as the script holds them against each other. */
const parentOf = (path: string): string => (path.includes(' ') ? path : ` ${path}`);

const valueCases = ({ path, values }: Place): string[] =>
  [...values].map(([option, choices]) => `    '${path} ${option}') words='${choices.join(' ')}' ;;`);

const wordCase = ({ path, commands, options }: Place): string =>
  `      '${path}') words='${[...commands, ...options].join(' ')}' ;;`;
