import { rm } from 'node:fs/promises';

export default async function globalTeardown() {
  const { server, folder } = globalThis.petstoreTestServer;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
