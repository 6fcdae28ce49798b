import ipaddr from 'ipaddr.js';
import { createServer, type Server } from 'node:net';
import { isNativeError } from 'node:util/types';
import { StartupError } from '../../kernel/config/startup-error.js';

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  /** The environment variable for the port. */
  readonly variable?: string;
}

/** @throws StartupError */
export async function listenOn(server: Server, address: ListenAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  }).catch((error: unknown) => {
    throw cannotListen(error, address);
  });
}

/** Checks that the address is free, before the rest of the start. @throws StartupError */
export async function checkAddress(address: ListenAddress): Promise<void> {
  const probe = createServer();
  await listenOn(probe, address);
  await new Promise((resolve) => probe.close(resolve));
}

/**
 * Converts an error of `listen()` into a StartupError that says how to fix it. Returns other errors
 * unchanged.
 */
export function cannotListen(error: unknown, { port, host, variable = 'PORT' }: ListenAddress): unknown {
  switch (isNativeError(error) && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} is in use. Stop the program that uses it, or set ${variable} to another port.`,
      );
    case 'EACCES':
      return new StartupError(`Port ${port} needs privileges. Set ${variable} to a port above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `HOST ${host} is not an address of this machine. Try 127.0.0.1, or 0.0.0.0 for all addresses.`,
      );
    default:
      return error;
  }
}

/** Whether only programs of this machine reach the address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/**
 * The host for URLs of this address. Clients cannot connect to a wildcard address. An IPv6 address needs
 * brackets in a URL.
 */
export function clientHost(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
