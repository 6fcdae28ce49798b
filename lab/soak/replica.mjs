import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startServer } from '../bench/servers.mjs';

/** A process of the service that can be killed and restarted on the same port. */
export class Replica {
  /** Whether a load balancer would send requests to it. */
  isUp = false;
  #server;
  #options;

  static async start(options) {
    const replica = new Replica();
    await mkdir(options.folder);
    replica.#options = { node: process.execPath, ...options, port: await freePort() };
    await replica.launch();
    return replica;
  }

  get origin() {
    return this.#server.origin;
  }

  get pid() {
    return this.#server.pid;
  }

  /** Retries like an orchestrator, because on a busy machine a start may give up waiting for the database. */
  async launch(tries = 5) {
    try {
      this.#server = await startServer('ours', this.#options);
    } catch (error) {
      if (tries <= 1) throw error;
      return this.launch(tries - 1);
    }
    while (!(await this.isReady())) await sleep(100);
    this.isUp = true;
    return undefined;
  }

  async kill() {
    this.isUp = false;
    await this.#server.kill();
  }

  stop() {
    return this.#server.stop();
  }

  /** Whether its database and its Redis are available. */
  async isReady() {
    try {
      const response = await fetch(`${this.origin}/health/ready`, { headers: { connection: 'close' } });
      return (await response.json()).status === 'ok';
    } catch {
      return false;
    }
  }

  /** @returns the text of /metrics */
  async metrics() {
    const response = await fetch(`${this.origin}/metrics`, { headers: { connection: 'close' } });
    return response.text();
  }
}
