import type { INestApplication } from '@nestjs/common';
import { createServer, type Server } from 'node:net';
import { isNativeError } from 'node:util/types';
import { StartupError } from '../kernel/errors/startup.error.js';

interface Address {
  readonly port: number;
  readonly host: string;
  /** The variable that decides the port. */
  readonly variable?: string;
}

/** Finds out before any work is done whether the address can be listened on. @throws StartupError */
export async function checkAddress({ port, host }: Address): Promise<void> {
  const probe = createServer();
  await listenOn(probe, { port, host });
  await new Promise((resolve) => probe.close(resolve));
}

/** @throws StartupError */
export async function listenOn(server: Server, address: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  }).catch((error: unknown) => {
    throw explain(error, address);
  });
}

/** @throws StartupError */
export async function listen(app: INestApplication, { port, host }: Address): Promise<void> {
  await app.listen(port, host).catch((error: unknown) => {
    throw explain(error, { port, host });
  });
}

function explain(error: unknown, { port, host, variable = 'PORT' }: Address): unknown {
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
