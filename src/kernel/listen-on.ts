import type { Server } from 'node:net';
import { isNativeError } from 'node:util/types';
import { StartupError } from './errors/startup.error.js';

export interface Address {
  readonly port: number;
  readonly host: string;
  /** The variable that decides the port. */
  readonly variable?: string;
}

/** @throws StartupError */
export async function listenOn(server: Server, address: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  }).catch((error: unknown) => {
    throw cannotListen(error, address);
  });
}

/** What a user can do about an address that cannot be listened on; any other error stays what it is. */
export function cannotListen(error: unknown, { port, host, variable = 'PORT' }: Address): unknown {
  switch (isNativeError(error) && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} is in use. Stop what listens there, or set ${variable} to another port.`,
      );
    case 'EACCES':
      return new StartupError(`Port ${port} needs privileges. Set ${variable} to one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `HOST ${host} is no address of this machine. Try 127.0.0.1, or 0.0.0.0 for all.`,
      );
    default:
      return error;
  }
}
