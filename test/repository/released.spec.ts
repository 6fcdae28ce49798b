import { existsSync, writeFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { RELEASED_PARAMETERS } from '../../src/released-parameters.js';
import { breakingChanges, type OpenApi, operationsOf, type Part } from '../support/breaking-changes.js';
import { inlined } from '../support/inlined.js';
import { PARAMETERS, parametersFile, RELEASED, releasedFile, RELEASING } from '../support/released.js';
import { readText } from '../support/repository.js';
import { skipped } from '../support/skipped.js';

/** A module that is added brings scopes, of which a key has none that its client does not ask for. */
const OF_MODULES = 'GET /key: 200.scopes[]: enum is wider';

/** What the next release changes although a client could notice, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

/** Another service made from this one removes the document of the shop, and has one after a release of its own. */
const isReleased = existsSync(RELEASED);
if (!isReleased && !RELEASING)
  skipped('comparisons with the last release', 'run npm run openapi:release at a release');
const itAfterARelease = isReleased || RELEASING ? it : it.skip;

const read = (file: string) => inlined(written(file));
const written = (file: string) => load(readText(file)) as OpenApi;

describe('clients of the last release', () => {
  itAfterARelease('cope with this version', () => {
    const { version } = JSON.parse(readText('package.json')) as { readonly version: string };
    const document = read('docs/openapi.yaml');
    const changes = isReleased ? breakingChanges(read(RELEASED), document) : [];
    expect(changes.filter((change) => change !== OF_MODULES)).toEqual(Object.keys(EXCEPTIONS));
    if (RELEASING) {
      writeFileSync(RELEASED, releasedFile(version, written('docs/openapi.yaml')));
      writeFileSync(PARAMETERS, parametersFile(version, document));
    }
  });

  (isReleased ? it : it.skip)('find its parameters in their order, from which the service takes it', () => {
    const several = operationsOf(read(RELEASED)).flatMap(
      ({ operation: { operationId, parameters = [] } }) => {
        const names = (parameters as readonly Part[]).map(({ name }) => name);
        return names.length < 2 ? [] : [[operationId, names]];
      },
    );
    expect(RELEASED_PARAMETERS).toEqual(Object.fromEntries(several));
  });

  (isReleased ? it : it.skip)('have them in a file that the next release writes in the same way', () => {
    const text = readText('src/released-parameters.ts');
    const [, version = ''] = /The parameters of (\S+),/.exec(text) ?? [];
    const withoutSpace = (file: string) =>
      file.replaceAll(/,?\s+(?=\])|(?<=\[)\s+/g, '').replaceAll(/\s+/g, ' ');
    expect(withoutSpace(text)).toBe(withoutSpace(parametersFile(version, read(RELEASED))));
  });
});

const PET = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, name: { type: ['string', 'null'], maxLength: 9 } },
};
const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } };
const SORT = { name: 'sort', in: 'query', schema: { type: 'string', enum: ['id', '-id'], default: 'id' } };
const MATCH = { name: 'If-Match', in: 'header', schema: { type: 'string' } };

const body = (schema: object) => ({ content: { 'application/json': { schema } } });
const REFERENCE = { $ref: '#/components/schemas/Pet' };
const SAVED = { headers: { ETag: {} } };
const OPERATION = {
  operationId: 'savePet',
  security: [{ bearer: ['pets:write'] }],
  parameters: [LIMIT, SORT, MATCH],
  requestBody: body(REFERENCE),
  responses: { '200': { ...SAVED, ...body(REFERENCE) }, '404': {} },
};

const documentOf = (operation: object, pet: object = PET): OpenApi => ({
  paths: { '/pets': { post: { ...OPERATION, ...operation } } },
  components: { schemas: { Pet: pet } },
  webhooks: { 'pet.saved': { post: { requestBody: body(REFERENCE) } } },
});
const changed = (operation: object, pet?: object): string[] =>
  breakingChanges(documentOf({}), documentOf(operation, pet));
const sent = (pet: object) => changed({ requestBody: body({ ...PET, ...pet }) });
const received = (pet: object) =>
  changed({ responses: { ...OPERATION.responses, '200': { ...SAVED, ...body({ ...PET, ...pet }) } } });
const withName = (name: object) => ({ properties: { ...PET.properties, name } });

describe('a change that breaks a client', () => {
  it.each<[string, string[], RegExp]>([
    [
      'a missing operation',
      breakingChanges(documentOf({}), { ...documentOf({}), paths: {} }),
      /POST \/pets is gone/,
    ],
    [
      'a missing schema',
      breakingChanges(documentOf({}), { ...documentOf(OPERATION), components: {} }),
      /Pet is gone/,
    ],
    [
      'a missing webhook',
      breakingChanges(documentOf({}), { ...documentOf({}), webhooks: {} }),
      /webhook pet.saved is gone/,
    ],
    ['another operationId', changed({ operationId: 'putPet' }), /operationId is "putPet"/],
    ['a scope', changed({ security: [{ bearer: ['pets:write', 'admin'] }] }), /needs admin/],
    [
      'a key where none was needed',
      breakingChanges(documentOf({ security: [] }), documentOf({})),
      /needs a key/,
    ],
    ['another order of parameters', changed({ parameters: [SORT, LIMIT, MATCH] }), /the order of parameters/],
    [
      'a parameter in the middle',
      changed({ parameters: [LIMIT, { ...LIMIT, name: 'x' }, SORT, MATCH] }),
      /the order/,
    ],
    ['a missing parameter', changed({ parameters: [LIMIT, MATCH] }), /query sort is gone/],
    [
      'a parameter elsewhere',
      changed({ parameters: [LIMIT, SORT, { ...MATCH, in: 'query' }] }),
      /header If-Match is gone/,
    ],
    [
      'a required parameter',
      changed({ parameters: [LIMIT, SORT, MATCH, { ...SORT, name: 'x', required: true }] }),
      /required/,
    ],
    [
      'a lower maximum',
      changed({ parameters: [{ ...LIMIT, schema: { ...LIMIT.schema, maximum: 50 } }, SORT, MATCH] }),
      /maximum/,
    ],
    [
      'fewer values',
      changed({ parameters: [LIMIT, { ...SORT, schema: { ...SORT.schema, enum: ['id'] } }, MATCH] }),
      /enum/,
    ],
    [
      'another default',
      changed({ parameters: [LIMIT, { ...SORT, schema: { ...SORT.schema, default: '-id' } }, MATCH] }),
      /default/,
    ],
    [
      'a missing media type',
      changed({ requestBody: { content: { 'text/plain': {} } } }),
      /application\/json is gone/,
    ],
    [
      'a required body',
      changed({ requestBody: { ...body(REFERENCE), required: true } }),
      /body is now required/,
    ],
    ['a required member of a body', sent({ required: ['id', 'name'] }), /name is now required/],
    ['a narrower type of a body', sent(withName({ type: 'string', maxLength: 9 })), /type is narrower/],
    [
      'a shorter text in a body',
      sent(withName({ ...PET.properties.name, maxLength: 8 })),
      /maxLength is narrower/,
    ],
    ['a pattern in a body', sent(withName({ ...PET.properties.name, pattern: '^a' })), /pattern is narrower/],
    ['a closed body', sent({ additionalProperties: false }), /additionalProperties is narrower/],
    ['a missing member of a body', sent({ properties: { id: PET.properties.id } }), /name is gone/],
    ['a missing status', changed({ responses: { '404': {} } }), /200 is gone/],
    ['another success', changed({ responses: { ...OPERATION.responses, '202': {} } }), /202 is new/],
    [
      'a missing header',
      changed({ responses: { ...OPERATION.responses, '200': body(REFERENCE) } }),
      /ETag is gone/,
    ],
    ['a missing member of a response', received({ required: [], properties: {} }), /id is gone/],
    ['a member that may be missing', received({ required: [] }), /id is no longer always there/],
    [
      'a wider type of a response',
      received(withName({ type: ['string', 'integer', 'null'] })),
      /type is wider/,
    ],
    [
      'a longer text in a response',
      received(withName({ ...PET.properties.name, maxLength: 10 })),
      /maxLength is wider/,
    ],
    [
      'a change behind a reference',
      changed({}, { ...PET, required: [] }),
      /webhook pet.saved.id is no longer/,
    ],
  ])('is %s', (_, changes, expected) => {
    expect(changes.join('\n')).toMatch(expected);
  });

  it.each<[string, string[]]>([
    ['nothing', changed({})],
    ['a schema that gets a name', changed({ requestBody: body(PET) })],
    ['a parameter at the end', changed({ parameters: [LIMIT, SORT, MATCH, { ...MATCH, name: 'x' }] })],
    [
      'a higher maximum',
      changed({ parameters: [{ ...LIMIT, schema: { ...LIMIT.schema, maximum: 200 } }, SORT, MATCH] }),
    ],
    [
      'one more value',
      changed({
        parameters: [LIMIT, { ...SORT, schema: { ...SORT.schema, enum: ['id', '-id', 'a'] } }, MATCH],
      }),
    ],
    ['a member of a response', received({ properties: { ...PET.properties, tag: { type: 'string' } } })],
    ['an optional member of a body', sent({ properties: { ...PET.properties, tag: { type: 'string' } } })],
    ['a narrower type of a response', received(withName({ type: 'string', maxLength: 9 }))],
    [
      'an experimental operation',
      breakingChanges(documentOf({ 'x-stability': 'experimental' }), documentOf({ parameters: [] })),
    ],
  ])('is not %s', (_, changes) => {
    expect(changes).toEqual([]);
  });
});
