import { NameServersUnavailable } from './delivery/address-resolver.js';
import { EndpointAddresses } from './delivery/endpoint-addresses.js';
import { EndpointUrl } from './endpoint-url.js';

const check = (url: string, resolve: () => Promise<string[]>) =>
  new EndpointUrl(new EndpointAddresses({ webhookAllowedNetworks: [] }, { resolve } as never)).check(url);

describe('EndpointUrl', () => {
  it('accepts a name with public addresses', async () => {
    await check('https://shop.example.com/', () => Promise.resolve(['8.8.8.8', '2606:4700::1111']));
  });

  it.each([
    ['only a private address', ['10.0.0.1']],
    ['a private address beside a public one', ['8.8.8.8', '192.168.0.1']],
    ['a private IPv4 address in the form of an IPv6 one', ['::ffff:10.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['no address', []],
  ])('refuses a name that has %s', async (_, addresses) => {
    const checked = check('https://shop.example.com/', () => Promise.resolve(addresses));
    await expect(checked).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('accepts a name while no name server responds: each delivery checks it', async () => {
    await check('https://shop.example.com/', () => Promise.reject(new NameServersUnavailable()));
  });
});
