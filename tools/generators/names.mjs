/** A reason not to generate, printed without a stack trace. */
export class GeneratorError extends Error {}

const KEBAB_CASE = /^[a-z]+(-[a-z]+)*$/;
const MAX_LENGTH = 40; // PostgreSQL truncates constraint names after 63

/** Names that the generated code uses for something else, or that SQL does not allow for a table. */
const TAKEN = ['id', 'name', 'page', 'query', 'references'];

/**
 * The forms of the template's own name, `pet-toys`, with the corresponding forms for the new module. The plural comes
 * first, because the singular is a prefix of it.
 * @param {string} plural in kebab-case, such as `opening-hours`
 * @param {string} [singular] if it cannot be derived from the plural
 * @returns {[from: string, to: string][]}
 */
export function substitutions(plural, singular) {
  check('The name', plural);
  const one = singular ?? singularOf(plural);
  check('--singular', one);
  const withOne = withArticle(words(one));
  return [
    ...pairs('pet-toys', plural),
    ['a pet toy', withOne],
    ['A pet toy', capital(withOne)],
    ...pairs('pet-toy', one),
  ];
}

/** @param {string} plural */
function singularOf(plural) {
  for (const [ending, replacement] of [
    [/([^aeiou])ies$/, '$1y'], // categories
    [/(ss|sh|ch|x|zz)es$/, '$1'], // addresses, branches, boxes
    [/([^siu])s$/, '$1'], // toys, houses
  ]) {
    if (ending.test(plural)) return plural.replace(ending, replacement);
  }
  throw new GeneratorError(
    `The singular of "${plural}" is unknown. Specify it: npm run generate -- ${plural} --singular=<one of them>`,
  );
}

function check(what, name) {
  if (!KEBAB_CASE.test(name) || name.length > MAX_LENGTH) {
    throw new GeneratorError(
      `${what} must be kebab-case of at most ${MAX_LENGTH} letters, such as categories or opening-hours; "${name}" is not.`,
    );
  }
  if (TAKEN.includes(name) || isKeyword(camel(name))) {
    throw new GeneratorError(`${what} "${name}" has another meaning in the code. Choose another one.`);
  }
}

function isKeyword(name) {
  try {
    new Function(`'use strict'; const ${name} = 0;`);
    return false;
  } catch {
    return true;
  }
}

const FORMS = [kebab, pascal, camel, snake, constant, words, sentence];

const pairs = (from, to) => FORMS.map((form) => [form(from), form(to)]);

function kebab(name) {
  return name;
}

function pascal(name) {
  return name.split('-').map(capital).join('');
}

function camel(name) {
  const [first, ...rest] = name.split('-');
  return first + rest.map(capital).join('');
}

function snake(name) {
  return name.replaceAll('-', '_');
}

function constant(name) {
  return snake(name).toUpperCase();
}

function words(name) {
  return name.replaceAll('-', ' ');
}

function sentence(name) {
  return capital(words(name));
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function withArticle(noun) {
  return `${/^(?!uni|use|eu|one)[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
