import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { addCodeSamples } from './code-samples.js';
import type { PathOperation } from './paths.js';
import type { Route } from './routes.js';

const body = {
  name: `Zoë's "shop", north\n`,
  tags: ['a', null],
  isOpen: true,
  place: { floor: 1, 'not-a-name': false },
};

function samples(): Record<string, string> {
  const operation = {
    responses: {},
    parameters: [{ name: 'code', in: 'path', schema: { type: 'string' }, example: `it's` }],
    requestBody: { content: { 'application/json': { example: body, schema: {} } } },
  };
  const one = {
    operation,
    method: 'post',
    url: 'http://petstore.test/v1/shops/{code}',
    path: '/shops/{code}',
  };
  addCodeSamples(one as unknown as PathOperation, { clientMethod: 'shops.open' } as Route, {});
  const found = (operation as unknown as { 'x-codeSamples': { lang: string; source: string }[] })[
    'x-codeSamples'
  ];
  return Object.fromEntries(found.map(({ lang, source }) => [lang, source]));
}

describe('code samples', () => {
  it('are valid TypeScript for quotes, commas, lists and objects', () => {
    const source = samples().TypeScript ?? '';
    const { diagnostics } = ts.transpileModule(source, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    const [, args = ''] = /client\.shops\.open\(([^]*?)\);\n/.exec(source) ?? [];
    expect(runInNewContext(`[${args}]`)).toEqual([`it's`, body]);
  });

  it('are valid Python for booleans and null in lists and objects', () => {
    expect(samples().Python).toContain(String.raw`client.shops.open(
    "it's",
    name="Zoë's \"shop\", north\n",
    tags=["a", None],
    is_open=True,
    place={"floor": 1, "not-a-name": False},
)`);
  });
});
