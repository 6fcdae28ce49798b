import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PetstoreClient } from '../../clients/typescript/src/index.js';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder } from '../support/program.js';
import { itWithPython, runPython } from '../support/python.js';

const ROOT = join(import.meta.dirname, '../..');

interface Place {
  readonly port: number;
  readonly service: string;
  readonly folder: string;
}

const apache =
  (module: string, filter: string) =>
  ({ port, service, folder }: Place): string => `
    ServerRoot "${folder}"
    PidFile "${folder}/pid"
    ErrorLog "${folder}/log"
    Listen 127.0.0.1:${port}
    ServerName localhost
    ${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
    ${['mpm_event', 'proxy', 'proxy_http', 'filter', module, 'authz_core']
      .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
      .join('\n')}
    AddOutputFilterByType ${filter} application/json
    ProxyPass / ${service}/
  `;

const nginx = ({ port, service, folder }: Place): string => `
  daemon off; pid "${folder}/pid"; error_log "${folder}/log"; events {}
  http {
    access_log off;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path "${folder}/${name}";`).join(' ')}
    gzip on; gzip_types application/json; gzip_proxied any;
    server { listen 127.0.0.1:${port}; location / { proxy_pass ${service}; proxy_http_version 1.1; } }
  }`;

/** Each proxy, and what it makes of the `ETag` of a pet. */
const PROXIES = [
  ['apache2', 'mod_deflate', apache('deflate', 'DEFLATE'), /^"[\w-]{22}-gzip"$/],
  ['apache2', 'mod_brotli', apache('brotli', 'BROTLI_COMPRESS'), /^"[\w-]{22}-br"$/],
  ['nginx', 'gzip on', nginx, /^W\/"[\w-]{22}"$/],
] as const;

/** Node.js accepts it over https only. */
const acceptingBrotli: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('Accept-Encoding', 'br, gzip');
  return fetch(input, { ...init, headers });
};

/** Changes a pet by the tag of its creation, and by that of a page, and prints the tags. */
const IN_PYTHON = `
import petstore
client = petstore.PetstoreClient()
rex = client.pets.create(name="Rex, who has a name that is worth the compression of it", category_id=1)
client.pets.update(rex.id, name="Max, who has a name that is worth the compression of it", if_match=rex.response.etag)
found = client.pets.get(rex.id).response
print(found.etag)
try:
    client.pets.get(rex.id, if_none_match=found.etag)
except petstore.NotModifiedError:
    print("not modified")
client.pets.remove(rex.id, if_match=found.etag)
`;

describe.each(PROXIES)('both clients behind %s with %s', (program, module, configOf, altered) => {
  describeWhereFound(program, `changes through a ${program} that compresses (${module})`, () => {
    let folder: Awaited<ReturnType<typeof emptyFolder>>;
    let petstore: Petstore;
    let proxy: ReturnType<typeof spawn>;
    let environment: { readonly url: string; readonly apiKey: string };

    beforeAll(async () => {
      folder = await emptyFolder();
      petstore = await Petstore.start({ env: { TRUST_PROXY: '127.0.0.1' } });
      const port = await freePort();
      const file = join(folder.path, 'proxy.conf');
      writeFileSync(file, configOf({ port, service: await petstore.app.getUrl(), folder: folder.path }));
      const args = program === 'nginx' ? ['-c', file] : ['-D', 'FOREGROUND', '-f', file];
      proxy = spawn(program, args, { stdio: 'ignore', env: { PATH: '/usr/sbin:/usr/bin' } });
      environment = { url: `http://127.0.0.1:${port}/v1`, apiKey: await petstore.key() };
      await eventually(() =>
        fetch(environment.url).then(
          ({ status }) => status < 500,
          () => false,
        ),
      );
    });
    afterAll(async () => {
      if (proxy.kill()) await once(proxy, 'close');
      await petstore.stop();
      await folder.remove();
    });

    it('changes a pet with If-Match in TypeScript, though its tag is altered', async () => {
      const { pets } = new PetstoreClient({ ...environment, runtime: { fetch: acceptingBrotli } });
      const name = (first: string) => `${first}, who has a name that is worth the compression of it`;
      const rex = await pets.create({ name: name('Rex'), categoryId: 1n });
      await pets.update(rex.id, { name: name('Max') }, { ifMatch: rex.response.etag });
      const { etag } = (await pets.get(rex.id)).response;
      expect(etag).toMatch(altered);
      await expect(pets.get(rex.id, { ifNoneMatch: etag })).rejects.toMatchObject({ status: 304 });
      await expect(pets.remove(rex.id, { ifMatch: rex.response.etag })).rejects.toMatchObject({
        status: 412,
      });
      await pets.remove(rex.id, { ifMatch: etag });
    });

    itWithPython('changes a pet with If-Match in Python', async () => {
      const child = runPython(['-c', IN_PYTHON], {
        PETSTORE_URL: environment.url,
        PETSTORE_API_KEY: environment.apiKey,
        PYTHONPATH: join(ROOT, 'clients/python/src'),
      });
      const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect([printed, failed]).toEqual([expect.stringMatching(/^(W\/)?"[\w-]+"\nnot modified\n$/), '']);
    });
  });
});
