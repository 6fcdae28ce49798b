/**
 * The faults, injected one after the other.
 * - `allows`: what a client may see: a documented 503 ('503') or a closed connection ('reset'). Nothing else.
 * - `losesRedis`: this Redis keeps nothing on disk, so the limit of a key may be exceeded by up to twice its size.
 */
export const FAULTS = {
  'redis-frozen': {
    losesRedis: true,
    begin: ({ redis }) => redis.freeze(),
    end: ({ redis }) => redis.thaw(),
  },
  'postgres-frozen': {
    allows: '503',
    begin: ({ postgres }) => postgres.freeze(),
    end: ({ postgres }) => postgres.thaw(),
  },
  'replica-killed': {
    allows: 'reset',
    begin: ({ replicas }, turn) => replicas[turn % replicas.length].kill(),
    end: ({ replicas }, turn) => replicas[turn % replicas.length].launch(),
  },
  'redis-slow': {
    losesRedis: true,
    begin: ({ redisProxy }) => redisProxy.slow(10, 60), // a decision may take 50 ms
    end: ({ redisProxy }) => redisProxy.mend(),
  },
  'postgres-slow': {
    allows: '503',
    begin: ({ postgresProxy }) => postgresProxy.slow(50, 150),
    end: ({ postgresProxy }) => postgresProxy.mend(),
  },
  'redis-killed': {
    losesRedis: true,
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.launch(),
  },
  'postgres-killed': {
    allows: '503',
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.launch(),
  },
  'redis-cut': {
    losesRedis: true,
    begin: ({ redisProxy }) => redisProxy.cut(),
    end: ({ redisProxy }) => redisProxy.mend(),
  },
  'postgres-cut': {
    allows: '503',
    begin: ({ postgresProxy }) => postgresProxy.cut(),
    end: ({ postgresProxy }) => postgresProxy.mend(),
  },
  'redis-silent': {
    losesRedis: true,
    begin: ({ redisProxy }) => redisProxy.silence(),
    end: ({ redisProxy }) => redisProxy.mend(),
  },
  'postgres-silent': {
    allows: '503',
    begin: ({ postgresProxy }) => postgresProxy.silence(),
    end: ({ postgresProxy }) => postgresProxy.mend(),
  },
};
