import { dump } from 'js-yaml';
import { operationsOf, type OpenApi, type Part } from './breaking-changes.js';

/** The document of the last release, without its texts and examples. */
export const RELEASED = 'test/released/openapi.yaml';
export const PARAMETERS = 'src/released-parameters.ts';

/** Whether the run may replace what is kept of the last release. */
export const RELEASING = process.env.UPDATE_RELEASED === 'true';

const TEXTS = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'info',
  'servers',
  'x-further-rules',
]);
/** Their members are names. */
const MAPS = new Set([
  'properties',
  'schemas',
  'headers',
  'parameters',
  'responses',
  'paths',
  'webhooks',
  'content',
]);

/** What a program depends on. */
export function withoutTexts<T>(part: T, isMap = false): T {
  if (Array.isArray(part)) return part.map((item: unknown) => withoutTexts(item)) as T;
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([name]) => isMap || !TEXTS.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, withoutTexts<unknown>(value, !isMap && MAPS.has(name))]),
  ) as T;
}

export const releasedFile = (version: string, document: object): string =>
  `# The document of ${version} without its texts and examples. \`npm run openapi:release\` replaces it.\n` +
  dump(withoutTexts(document), { noRefs: true, lineWidth: 110 });

/** The module that keeps the order of parameters in the document. */
export function parametersFile(version: string, document: OpenApi): string {
  const lines = operationsOf(document).flatMap(({ operation }) => {
    const names =
      (operation.parameters as readonly Part[] | undefined)?.map(({ name }) => `'${String(name)}'`) ?? [];
    return names.length < 2 ? [] : [`  ${String(operation.operationId)}: [${names.join(', ')}],\n`];
  });
  return (
    "import type { ParameterOrder } from './platform/program/index.js';\n\n" +
    `/** The parameters of ${version}, in an order that stays. Written by \`npm run openapi:release\`. */\n` +
    `export const RELEASED_PARAMETERS: ParameterOrder = {\n${lines.join('')}};\n`
  );
}
