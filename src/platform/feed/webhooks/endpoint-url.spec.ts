import { EndpointAddresses, NameServersUnavailable } from './delivery/endpoint-addresses.js';
import { EndpointUrl } from './endpoint-url.js';

const check = (url: string, resolve: () => Promise<string[]>, allowedNetworks: string[] = []) =>
  new EndpointUrl(
    new EndpointAddresses({ allowedNetworks, secretKeys: [], worker: false }, { resolve } as never),
  ).check(url);

describe('EndpointUrl', () => {
  it('accepts a name with public addresses', async () => {
    await check('https://shop.example.com/', () => Promise.resolve(['8.8.8.8', '2606:4700::1111']));
  });

  it.each([
    ['only a private address', ['10.0.0.1']],
    ['both a private and a public address', ['8.8.8.8', '192.168.0.1']],
    ['a private IPv4 address mapped into IPv6', ['::ffff:10.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['no address', []],
  ])('refuses a name that has %s', async (_, addresses) => {
    const checked = check('https://shop.example.com/', () => Promise.resolve(addresses));
    await expect(checked).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('accepts a name while no name server responds: each delivery checks it', async () => {
    await check('https://shop.example.com/', () => Promise.reject(new NameServersUnavailable()));
  });

  it.each(['http://shop.example.com/', 'https://shop.example.com:8443/'])(
    'refuses %s without asking a name server, unless the operator has allowed networks',
    async (url) => {
      const away = () => Promise.reject(new NameServersUnavailable());
      await expect(check(url, away)).rejects.toMatchObject({ code: 'validation_failed' });
      await check(url, away, ['10.1.0.0/16']);
    },
  );

  it.each([
    [
      'another port',
      'https://shop.example.com:8443/',
      ['8.8.8.8'],
      /^url has port 8443; only the port of https/,
    ],
    [
      'the port of http',
      'https://shop.example.com:80/',
      ['8.8.8.8'],
      /^url has port 80; only the port of https/,
    ],
    ['http', 'http://shop.example.com/', ['8.8.8.8'], /^url must start with https:\/\/$/],
    ['a private address', 'https://10.0.0.1/', ['10.0.0.1'], /^url has a host without .* not public$/],
    ['no address', 'https://none.example.com/', [], /^url has a host without .* not public$/],
    ['http to a name without an address', 'http://none.example.com/', [], /^url must start with https/],
    ['another port of a name without an address', 'https://none.example.com:1/', [], /port 1/],
    [
      'other ports outside the allowed networks',
      'https://both.example.com:8443/',
      ['10.1.0.1', '8.8.8.8'],
      /port 8443/,
    ],
  ])('explains what is wrong with %s', async (_, url, addresses, message) => {
    const checked = check(url, () => Promise.resolve(addresses), ['10.1.0.0/16']);
    await expect(checked).rejects.toMatchObject({
      details: [{ message: expect.stringMatching(message) as unknown }],
    });
  });

  it.each(['https://shop.example.com:443/', 'https://in.example.com:8443/', 'http://in.example.com:8080/'])(
    'accepts %s, because its port is 443 or its network is allowed',
    async (url) => {
      const address = url.includes('in.') ? '10.1.0.1' : '8.8.8.8';
      await check(url, () => Promise.resolve([address]), ['10.1.0.0/16']);
    },
  );
});
