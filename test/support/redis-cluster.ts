import { execFileSync } from 'node:child_process';
import { eventually } from './eventually.js';
import { clusterSettings, RedisServer } from './redis-server.js';

const SLOTS = 16_384;
/** Milliseconds after which the other nodes consider a node failed. */
const NODE_TIMEOUT = 1_000;

interface ClusterNode {
  readonly id: string;
  readonly port: number;
  readonly flags: readonly string[];
  readonly master: string;
  readonly slots: readonly string[];
}

/** Three masters and three replicas, as real processes. */
export class RedisCluster {
  private constructor(readonly nodes: readonly RedisServer[]) {}

  /** @param settings of every node, in addition to those of a cluster */
  static async start(
    program = 'redis-server',
    settings: readonly string[] = [],
    scheme: 'redis' | 'rediss' = 'redis',
  ): Promise<RedisCluster> {
    const nodes: RedisServer[] = [];
    for (let i = 0; i < 6; i++) {
      const own = await clusterSettings();
      const timing = [
        '--cluster-node-timeout',
        String(NODE_TIMEOUT),
        '--cluster-require-full-coverage',
        'no',
      ];
      nodes.push(await RedisServer.start([...own, ...timing, ...settings], scheme, program));
    }
    const tls = scheme === 'rediss' ? ['--tls', '--insecure'] : [];
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    execFileSync('redis-cli', [
      ...['--cluster', 'create', ...addresses],
      ...['--cluster-replicas', '1', '--cluster-yes', ...tls],
    ]);
    const cluster = new RedisCluster(nodes);
    await cluster.isWhole();
    return cluster;
  }

  /** Waits until every master has a replica that could replace it. */
  async isWhole(): Promise<void> {
    await eventually(() => this.nodes.every((node) => isWhole(node)));
  }

  /** The URL of its first node. */
  get url(): string {
    return this.first.url;
  }

  /** Runs a command on the master of the key in its first argument. */
  command(name: string, key: string, ...args: string[]): string {
    return this.masterOf(key).command(name, key, ...args);
  }

  private slotOf(key: string): number {
    return Number(this.anyNode().command('CLUSTER', 'KEYSLOT', key));
  }

  /** The node that serves the slot of a key, according to the running nodes. */
  masterOf(key: string): RedisServer {
    const slot = this.slotOf(key);
    const master = this.view().find(({ slots }) => slots.some((range) => isIn(range, slot)));
    return this.node(master?.port);
  }

  get masters(): RedisServer[] {
    return this.view()
      .filter(({ slots, flags }) => slots.length > 0 && !flags.includes('fail'))
      .map(({ port }) => this.node(port));
  }

  get anyMaster(): RedisServer {
    const [master] = this.masters;
    if (!master) throw new Error('the cluster has no master');
    return master;
  }

  /** Moves the slot of a key to another master, with the commands of `redis-cli --cluster reshard`. */
  reshard(key: string): void {
    const [slot, source] = [String(this.slotOf(key)), this.masterOf(key)];
    const target = this.masters.find((master) => master !== source) ?? source;
    const [sourceId, targetId] = [source, target].map((node) => node.command('CLUSTER', 'MYID')) as [
      string,
      string,
    ];
    target.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
    source.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    const keys = source.command('CLUSTER', 'GETKEYSINSLOT', slot, '100').split('\n');
    source.command('MIGRATE', '127.0.0.1', String(target.port), '', '0', '5000', 'KEYS', ...keys);
    for (const node of [target, source]) node.command('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
  }

  /** Ends all nodes, and starts them again without data. */
  async restartEmpty(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await Promise.all(this.nodes.map((node) => node.forget()));
    await Promise.all(this.nodes.map((node) => node.launch()));
  }

  replicaOf(master: RedisServer): RedisServer {
    const id = master.command('CLUSTER', 'MYID');
    return this.node(this.view().find((node) => node.master === id)?.port);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  private get first(): RedisServer {
    const [first] = this.nodes;
    if (!first) throw new Error('the cluster has no nodes');
    return first;
  }

  private node(port = 0): RedisServer {
    const node = this.nodes.find((one) => one.port === port);
    if (!node) throw new Error(`no node of the cluster has port ${port}`);
    return node;
  }

  private anyNode(): RedisServer {
    const node = this.nodes.find(({ isRunning }) => isRunning);
    if (!node) throw new Error('no node of the cluster runs');
    return node;
  }

  private view(): ClusterNode[] {
    return nodesOf(this.anyNode());
  }
}

function nodesOf(server: RedisServer): ClusterNode[] {
  return server
    .command('CLUSTER', 'NODES')
    .split('\n')
    .map((line) => {
      const [id = '', address = '', flags = '', master = '', , , , , ...slots] = line.split(' ');
      const port = Number(/:(\d+)@/.exec(address)?.[1]);
      return { id, port, flags: flags.split(','), master, slots };
    });
}

/** Whether a node knows all slots, and a connected replica of each master. */
function isWhole(server: RedisServer): boolean {
  const known = nodesOf(server);
  const covered = known.flatMap(({ slots }) => slots).reduce((sum, range) => sum + sizeOf(range), 0);
  const replicas = new Set(known.map(({ master }) => master).filter((id) => id !== '-'));
  const ready = server.command('CLUSTER', 'INFO').includes('cluster_state:ok');
  const linked = !server.command('INFO', 'replication').includes('master_link_status:down');
  return ready && linked && covered === SLOTS && replicas.size === 3;
}

function bounds(range: string): readonly [number, number] {
  const [first = NaN, last = first] = range.split('-').map(Number);
  return [first, last];
}

const isIn = (range: string, slot: number): boolean => slot >= bounds(range)[0] && slot <= bounds(range)[1];
const sizeOf = (range: string): number => bounds(range)[1] - bounds(range)[0] + 1;
