import type { INestApplication } from '@nestjs/common';
import type { Server } from 'node:http';
import { seconds } from '../clock/duration.js';

/** What a running request gets to finish. */
const GRACE = seconds(8);

/** Ends an application in good order; connections that are still open after the grace are cut. */
export async function close(app: INestApplication): Promise<void> {
  const server = app.getHttpServer() as Server;
  const impatience = setTimeout(() => {
    server.closeAllConnections();
  }, GRACE);
  await app.close().finally(() => {
    clearTimeout(impatience);
  });
}
