import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { searchLog } from './search-log.mjs';

export default async function globalTeardown() {
  const { server, folder } = globalThis.petstoreTestServer;
  await server.stop();
  try {
    await searchLog(join(folder, 'logs'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
