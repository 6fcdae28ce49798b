import ipaddr from 'ipaddr.js';
import { isSubnet } from '../../kernel/config/subnet.js';
import type { Variables } from '../../kernel/config/variables.js';

/** 32 bytes for AES-256. `Buffer` would take only what comes before the first `=`. */
const KEY = /^[\w+/-]{43}=?$/;

export class WebhooksConfig {
  /**
   * Subnets that webhooks may reach although their addresses are not public. Plain http is allowed there too.
   */
  readonly allowedNetworks: readonly string[];
  /**
   * The first key encrypts secrets in the database; all of them decrypt. Without keys, secrets are stored in
   * plain text.
   */
  readonly secretKeys: readonly Buffer[];

  /** Whether this process delivers webhooks. If not, `petstore worker` must run. */
  readonly worker: boolean;

  constructor(variables: Variables) {
    this.allowedNetworks = allowedNetworks(variables);
    this.secretKeys = secretKeys(variables);
    this.worker = variables.flag('WEBHOOK_WORKER', true);
  }
}

function allowedNetworks(variables: Variables): readonly string[] {
  const networks = variables.list('WEBHOOK_ALLOWED_NETWORKS');
  const wrong = networks.find((network) => !isSubnet(network) || isMapped(network));
  if (wrong === undefined) return networks;
  return variables.reject('WEBHOOK_ALLOWED_NETWORKS', wrong, 'subnets such as 10.1.0.0/16 and fd00::/8', []);
}

/** IPv4 in IPv6, such as `::ffff:10.0.0.0/104`: addresses are compared as IPv4, so it would allow none. */
function isMapped(network: string): boolean {
  const [address] = ipaddr.parseCIDR(network);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
}

function secretKeys(variables: Variables): readonly Buffer[] {
  const text = variables.secret('WEBHOOK_SECRET_KEYS');
  if (text === undefined) return [];
  const keys = text.split(/[\s,]+/).filter((key) => key !== '');
  if (keys.length > 0 && keys.every((key) => KEY.test(key)))
    return keys.map((key) => Buffer.from(key, 'base64'));
  // The value is secret, so the message describes only its shape.
  const expected = 'must be keys of 32 bytes in base64, as openssl rand -base64 32 makes them';
  variables.problems.set('WEBHOOK_SECRET_KEYS', `WEBHOOK_SECRET_KEYS ${expected}.`);
  return [];
}
