import { AddressPolicy } from './address-policy.js';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '100.63.255.255', '2606:4700::1111'];
const PUBLIC_BESIDE_CLOUDS = [
  '168.63.129.15',
  '168.63.129.17',
  '161.25.255.255',
  '161.27.0.0',
  '166.7.255.255',
  '166.12.0.0',
];
const REFUSED = [
  ...['0.0.0.0', '0.1.2.3', '10.1.2.3', '127.0.0.1', '127.255.255.255', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '169.254.169.254', '169.254.170.2', '100.64.0.1', '100.100.100.200', '192.0.0.192'],
  ...['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1'],
  ...['255.255.255.255', '192.88.99.1'],
  ...['168.63.129.16', '::ffff:168.63.129.16', '161.26.0.10', '166.8.0.1', '166.11.255.255'], // platforms of clouds
  ...['::', '::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', 'fec0::1', '100::1', '2001:db8::1'],
  ...['::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::a00:1', '64:ff9b::a00:1'],
  ...['64:ff9b::808:808', '64:ff9b:1::a00:1', '2002:a00:1::', '2001:0:1::1', '4000::1', '5f00::1'],
  ...['', 'localhost', '10.1', '0x7f000001', '2130706433', '1.2.3', '8.8.8.8/32'],
];

describe('AddressPolicy', () => {
  const policy = new AddressPolicy([]);

  it.each([...PUBLIC, ...PUBLIC_BESIDE_CLOUDS])('permits %s, which is public', (address) => {
    expect(policy.permits(address)).toBe(true);
    expect(policy.trusts(address)).toBe(false);
  });

  it('permits a public IPv4 address mapped into IPv6', () => {
    expect(policy.permits('::ffff:8.8.8.8')).toBe(true);
  });

  it.each(REFUSED)('refuses %j', (address) => {
    expect(policy.permits(address)).toBe(false);
  });

  it('permits and trusts only the networks that the operator allows', () => {
    const named = new AddressPolicy(['10.1.0.0/16', 'fd00:1::/32', '168.63.129.16/32']);
    for (const address of ['10.1.0.0', '10.1.255.255', '168.63.129.16', '::ffff:10.1.2.3', 'fd00:1::7']) {
      expect(named.permits(address)).toBe(true);
      expect(named.trusts(address)).toBe(true);
    }
    for (const address of ['10.2.0.1', '127.0.0.1', 'fd00:2::7', '64:ff9b::a01:1']) {
      expect(named.permits(address)).toBe(false);
    }
  });
});
