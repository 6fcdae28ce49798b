import type { INestApplication } from '@nestjs/common';
import { createServer } from 'node:net';
import { type Address, cannotListen, listenOn } from '../kernel/listen-on.js';

/** Finds out before any work is done whether the address can be listened on. @throws StartupError */
export async function checkAddress({ port, host }: Address): Promise<void> {
  const probe = createServer();
  await listenOn(probe, { port, host });
  await new Promise((resolve) => probe.close(resolve));
}

/** @throws StartupError */
export async function listen(app: INestApplication, { port, host }: Address): Promise<void> {
  await app.listen(port, host).catch((error: unknown) => {
    throw cannotListen(error, { port, host });
  });
}
