import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** The network between the service and one of its stores. A fault can slow, silence or cut it. */
export class Proxy {
  /** The minimum delay of each packet and the maximum additional random delay, in milliseconds. */
  #delay = 0;
  #jitter = 0;
  #state = 'open';
  #links = new Set();

  /** @param url of the store */
  static async to(url) {
    const proxy = new Proxy();
    const { hostname, port } = new URL(url);
    proxy.server = createServer((near) => proxy.#join(near, () => connect(Number(port), hostname)));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    proxy.url = Object.assign(new URL(url), { port: String(proxy.server.address().port) }).href;
    return proxy;
  }

  slow(delay, jitter) {
    this.#delay = delay;
    this.#jitter = jitter;
  }

  /** Nothing arrives and nothing is closed, as if a cable were unplugged. */
  silence() {
    this.#state = 'silent';
    for (const link of this.#links) link.pause();
  }

  /** Resets all connections, including new ones. */
  cut() {
    this.#state = 'cut';
    for (const link of this.#links) link.close();
  }

  mend() {
    this.#state = 'open';
    this.slow(0, 0);
    for (const link of this.#links) link.resume();
  }

  stop() {
    this.server.close();
    this.cut();
  }

  #join(near, open) {
    if (this.#state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = open();
    const ends = [near, far];
    const link = {
      pause: () => ends.forEach((end) => end.pause()),
      resume: () => ends.forEach((end) => end.resume()),
      close: () => ends.forEach((end) => end.destroy()),
    };
    this.#links.add(link);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.setNoDelay();
      from.on(
        'data',
        this.#carrier((packet) => to.write(packet)),
      );
      from.on('error', () => {});
      from.on('close', () => {
        this.#links.delete(link);
        to.destroy();
      });
    }
    if (this.#state === 'silent') link.pause();
  }

  /** Packets keep their order, whatever their delays. */
  #carrier(deliver) {
    let due = 0; // when the last packet is due
    return (packet) => {
      const now = performance.now();
      due = Math.max(due, now + this.#delay + Math.random() * this.#jitter);
      if (due > now) setTimeout(deliver, due - now, packet);
      else deliver(packet);
    };
  }
}
