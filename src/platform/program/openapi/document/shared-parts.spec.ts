import type { OpenAPIObject } from '@nestjs/swagger';
import { inlined } from '../../../../../test/support/inlined.js';
import { shareParts } from './shared-parts.js';

const ERROR = { $ref: '#/components/schemas/Error' };
const NOT_FOUND = {
  description: 'The resource does not exist.',
  content: { 'application/json': { schema: ERROR, examples: { toy_not_found: { value: { status: 404 } } } } },
};
const SORT = { name: 'sort', in: 'query', description: 'Order.', schema: { type: 'string' } };
const TOTAL = { required: true, description: 'All.', schema: { type: 'integer' } };

const toys = (operationId: string, operation: object = {}) => ({ operationId, responses: {}, ...operation });

/** A document whose operations are `GET /a`, `GET /b` and so on. */
const documentOf = (operations: readonly object[], components: object = {}): OpenAPIObject => {
  const paths = operations.map((get, index) => [`/${'abcdef'.charAt(index)}`, { get }]);
  return structuredClone({ openapi: '3.1.0', paths: Object.fromEntries(paths), components } as OpenAPIObject);
};

function shared(operations: readonly object[], components?: object) {
  const before = documentOf(operations, components);
  const after = shareParts(structuredClone(before));
  expect(inlined(after).paths).toEqual(inlined(before).paths); // nothing is lost
  return after;
}

const namesOf = ({ components = {} }: OpenAPIObject) => ({
  parameters: Object.keys(components.parameters ?? {}),
  responses: Object.keys(components.responses ?? {}),
  headers: Object.keys(components.headers ?? {}),
});

describe('shareParts', () => {
  it('leaves what is there once, or is a line', () => {
    const done = { description: 'Done.' };
    const operations = [
      toys('one', { parameters: [SORT], responses: { 204: done } }),
      toys('two', { responses: { 204: done, 404: NOT_FOUND } }),
    ];
    const after = shared(operations);
    expect(after.paths).toEqual(documentOf(operations).paths);
    expect(namesOf(after)).toEqual({ parameters: [], responses: [], headers: [] });
  });

  it('names parameters by their name, and responses by their status, codes and fields', () => {
    const details = [{ in: 'query', field: 'limit', code: 'range' }];
    const examples = { validation_failed: { value: { details } }, invalid_cursor: { value: {} } };
    const invalid = { description: 'Invalid.', content: { 'application/json': { schema: ERROR, examples } } };
    const operation = {
      parameters: [SORT, { ...SORT, name: 'If-Match', in: 'header' }],
      responses: {
        202: { description: 'Soon.', content: { 'application/json': { schema: ERROR } } },
        400: invalid,
        404: NOT_FOUND,
      },
    };
    const after = shared([toys('one', operation), toys('two', operation)]);
    expect(namesOf(after)).toMatchObject({
      parameters: ['sort', 'If-Match'],
      responses: [
        'Accepted-Error',
        'BadRequest-validation_failed.limit-invalid_cursor',
        'NotFound-toy_not_found',
      ],
    });
    expect(after.paths['/b']?.get?.parameters).toEqual([
      { $ref: '#/components/parameters/sort' },
      { $ref: '#/components/parameters/If-Match' },
    ]);
  });

  it('does not repeat a code that only says the status', () => {
    const content = { 'application/json': { schema: ERROR, examples: { precondition_failed: {} } } };
    const operation = { responses: { 412: { description: 'Changed.', content } } };
    expect(namesOf(shared([toys('one', operation), toys('two', operation)])).responses).toEqual([
      'PreconditionFailed',
    ]);
  });

  it('names 403 by the scopes', () => {
    const content = { 'application/json': { schema: ERROR, examples: { insufficient_scope: {} } } };
    const refusing = (scope: string) => ({
      security: [{ apiKey: [scope] }],
      responses: { 403: { description: scope, content } },
    });
    const operations = ['toys:read', 'toys:read', 'toys:write', 'toys:write'].map((scope, index) =>
      toys(`op${index}`, refusing(scope)),
    );
    expect(namesOf(shared(operations)).responses).toEqual([
      'Forbidden-insufficient_scope-toys.read',
      'Forbidden-insufficient_scope-toys.write',
    ]);
  });

  it('names a second part of the same name by the operation that has it first', () => {
    const other = { ...SORT, in: 'header' };
    const operations = [SORT, other, SORT, other].map((one, index) =>
      toys(`op${index}`, { parameters: [one] }),
    );
    expect(namesOf(shared(operations)).parameters).toEqual(['sort', 'sort-op1']);
  });

  it('leaves parts for which no name is free', () => {
    const after = shared([toys('one', { parameters: [SORT] }), toys('two', { parameters: [SORT] })], {
      parameters: { sort: { ...SORT, in: 'header' }, 'sort-one': { ...SORT, in: 'cookie' } },
    });
    expect(after.paths['/a']?.get?.parameters).toEqual([SORT]);
  });

  it('refers to a component that the document has, even from one place', () => {
    const after = shared([toys('one', { responses: { 404: NOT_FOUND } })], {
      responses: { Gone: NOT_FOUND },
    });
    expect(after.paths['/a']?.get?.responses).toEqual({ 404: { $ref: '#/components/responses/Gone' } });
  });

  it('takes parts for equal whose members are in another order', () => {
    const { description, content } = NOT_FOUND;
    const after = shared([
      toys('one', { responses: { 404: NOT_FOUND } }),
      toys('two', { responses: { 404: { content, description } } }),
    ]);
    expect(namesOf(after).responses).toEqual(['NotFound-toy_not_found']);
  });

  it('shares headers that are always there, also those of a shared response', () => {
    const page = (text: string) => ({ description: text, headers: { 'X-Total': TOTAL } });
    const after = shared([
      toys('one', { responses: { 200: page('A'), 206: page('B') } }),
      toys('two', { responses: { 206: page('B') } }),
    ]);
    expect(namesOf(after)).toMatchObject({ responses: ['PartialContent'], headers: ['X-Total'] });
    const reference = { 'X-Total': { $ref: '#/components/headers/X-Total' } };
    expect(after.components?.responses?.PartialContent).toMatchObject({ headers: reference });
    expect(after.paths['/a']?.get?.responses[200]).toMatchObject({ headers: reference });
  });

  it('leaves headers that may be absent', () => {
    const page = (text: string) => ({
      description: text,
      headers: { 'X-Total': { ...TOTAL, required: false } },
    });
    const after = shared([page('A'), page('B')].map((ok, i) => toys(`op${i}`, { responses: { 200: ok } })));
    expect(namesOf(after).headers).toEqual([]);
  });

  it('takes whatever a module says for an example', () => {
    for (const example of [null, {}, { value: null }, { value: 'a' }, { value: { details: null } }]) {
      for (const shown of [example, { value: { details: example } }, { value: { details: [example] } }]) {
        const content = { 'application/json': { schema: ERROR, examples: { odd: shown } } };
        const operation = { responses: { 409: { description: 'No.', content } } };
        const { responses } = namesOf(shared([toys('one', operation), toys('two', operation)]));
        expect(responses).toEqual(['Conflict-odd']);
      }
    }
  });

  it('makes legal names of all others', () => {
    const parameters = ['ids[]', 'größe', '__proto__', 'constructor'].map((name) => ({ ...SORT, name }));
    const after = shared([toys('one', { parameters }), toys('two', { parameters })]);
    expect(namesOf(after).parameters).toEqual(['ids.', 'gr.e', '__proto__', 'constructor']);
  });

  it('shares parts with integers of 64 bits, and with a reference as an example', () => {
    const schema = { type: 'object', example: { $ref: '#/x', id: 2n ** 63n - 1n } };
    const operation = { parameters: [{ ...SORT, schema }] };
    expect(namesOf(shared([toys('one', operation), toys('two', operation)])).parameters).toEqual(['sort']);
  });
});
