import type { INestApplication } from '@nestjs/common';
import { createServer } from 'node:net';
import { StartupError } from './startup.error.js';

interface Address {
  readonly port: number;
  readonly host: string;
}

/** Finds out before any work is done whether the address can be listened on. @throws StartupError */
export async function checkAddress({ port, host }: Address): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen(port, host, resolve);
    });
    await new Promise((resolve) => probe.close(resolve));
  } catch (error) {
    throw explain(error, { port, host });
  }
}

/** @throws StartupError */
export async function listen(app: INestApplication, { port, host }: Address): Promise<void> {
  await app.listen(port, host).catch((error: unknown) => {
    throw explain(error, { port, host });
  });
}

function explain(error: unknown, { port, host }: Address): unknown {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} is in use. Stop what listens there, or set PORT to another port.`,
      );
    case 'EACCES':
      return new StartupError(`Port ${port} needs privileges. Set PORT to one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `HOST ${host} is no address of this machine. Try 127.0.0.1, or 0.0.0.0 for all.`,
      );
    default:
      return error;
  }
}
