/**
 * The quota of one client is one hash, so that one script decides about it in one step, in one slot of a cluster:
 * `m` when the minute began, `n` used in it, `d` the UTC day (since 1970-01-01), `u` used in it, `p` and `q` the same of
 * the day before that. Time is the server's own: replicas whose clocks differ agree. A server clock that steps back ends
 * no minute, and finds the counts of the day before.
 *
 * Two fields for each replica say how much of that it has admitted: `a…` of the minute and `b…` of the day. The upper
 * bits of such a number say which minute or day it belongs to, so that none has to be cleared.
 */
const READ = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(time[1] / 86400)
local a, b = 'a' .. ARGV[2], 'b' .. ARGV[2]
local hash = redis.call('HMGET', KEYS[1], 'm', 'n', 'd', 'u', a, b)
local period = tonumber(ARGV[1])
local start, minuteUsed = tonumber(hash[1]) or now, tonumber(hash[2]) or 0
local day, dayUsed = tonumber(hash[3]) or today, tonumber(hash[4]) or 0
if start > now then start = now end
if minuteUsed == 0 or now - start >= period then start, minuteUsed = now, 0 end
local before, usedBefore
if today ~= day then
  local other = redis.call('HMGET', KEYS[1], 'p', 'q')
  before, usedBefore = day, dayUsed
  day, dayUsed = today, tonumber(other[1]) == today and tonumber(other[2]) or 0
end
local isNew = start ~= tonumber(hash[1]) or before
local minuteTag, dayTag = math.floor(start / 1000) % 4194304 * 1073741824, day % 4194304 * 1073741824
local minuteOwn, dayOwn = (hash[5] or 0) - minuteTag, (hash[6] or 0) - dayTag
if minuteOwn < 0 or minuteOwn >= 1073741824 then minuteOwn = 0 end
if dayOwn < 0 or dayOwn >= 1073741824 then dayOwn = 0 end
local admitted, charge, changed = 0, tonumber(ARGV[5]), false
`;

const DECIDE = `
if minuteUsed < tonumber(ARGV[3]) and dayUsed < tonumber(ARGV[4]) then
  admitted = 1
  if charge > 0 then
    changed = true
    admitted = math.min(charge, ARGV[3] - minuteUsed, ARGV[4] - dayUsed)
    minuteUsed, dayUsed = minuteUsed + admitted, dayUsed + admitted
    minuteOwn, dayOwn = minuteOwn + admitted, dayOwn + admitted
  end
end
`;

const WRITE = `
if changed then
  if isNew then
    redis.call('HSET', KEYS[1], 'm', start, 'd', day)
    redis.call('PEXPIRE', KEYS[1], 172800000)
  end
  redis.call('HSET', KEYS[1], 'n', minuteUsed, 'u', dayUsed, a, minuteTag + minuteOwn, b, dayTag + dayOwn)
  if before then
    redis.call('HSET', KEYS[1], 'p', before, 'q', usedBefore)
    local fields = redis.call('HGETALL', KEYS[1])
    for i = 1, #fields, 2 do
      local name, tag = fields[i], fields[i + 1] - fields[i + 1] % 1073741824
      if #name > 1 and tag ~= minuteTag and tag ~= dayTag then redis.call('HDEL', KEYS[1], name) end
    end
  end
end
return { admitted, minuteUsed, start + period, dayUsed, (day + 1) * 86400000, now, minuteOwn, dayOwn }
`;

/** KEYS: the hash. ARGV: period in ms, replica, limit per minute, limit per day, how many requests to charge (0 to peek). */
export const CONSUME = `${READ}${DECIDE}${WRITE}`;

/** The same for several hashes, one after the other. ARGV: that of each. Returns a reply for each. */
export const CONSUME_ALL = `
local function consume(KEYS, ARGV)
${CONSUME}
end
local replies = {}
for i = 1, #KEYS do
  local j = 5 * i
  replies[i] = consume({ KEYS[i] }, { ARGV[j - 4], ARGV[j - 3], ARGV[j - 2], ARGV[j - 1], ARGV[j] })
end
return replies
`;

/**
 * The same, after a replica has stated how much it has admitted, in absolute numbers. What they are above those of the
 * hash was admitted without Redis, or is in data that Redis has lost, and is added. So a statement that is repeated or
 * late adds nothing.
 *
 * More ARGV: of the minute and the day as the replica knows them, when it ends and what the replica has admitted in it;
 * and a version, or 0. With a version the statement is the whole truth, unless Redis knows a later one: the replica waits
 * for no command, so what Redis has counted beyond it are commands that were given up.
 */
export const STATE = `${READ}
local minuteEnd, minuteStated = tonumber(ARGV[6]), tonumber(ARGV[7])
local dayEnd, dayStated = tonumber(ARGV[8]), tonumber(ARGV[9])
local version = tonumber(ARGV[10])
local exact = version > 0 and version > (tonumber(redis.call('HGET', KEYS[1], 'v' .. ARGV[2])) or 0)
if minuteEnd > now and (minuteStated > minuteOwn or exact and minuteStated < minuteOwn) then
  if minuteUsed == 0 then
    start, isNew = math.min(minuteEnd - period, now), true
    minuteTag = math.floor(start / 1000) % 4194304 * 1073741824
  end
  minuteUsed, minuteOwn, changed = minuteUsed + minuteStated - minuteOwn, minuteStated, true
end
if dayEnd == (day + 1) * 86400000 and (dayStated > dayOwn or exact and dayStated < dayOwn) then
  dayUsed, dayOwn, changed = dayUsed + dayStated - dayOwn, dayStated, true
end
if exact and (changed or hash[1]) then redis.call('HSET', KEYS[1], 'v' .. ARGV[2], version) end
${DECIDE}${WRITE}`;

/**
 * A window of which there may be any number: those of addresses, and of routes with a limit of their own. They share
 * hashes, a field each: "start:used". When the young hash holds `half` of what the table may hold, or is a period old,
 * it takes the place of the old one, which is dropped: the table has a hard cap, and nothing in it is searched for.
 * KEYS: young, old. ARGV: the field, period in ms, limit, what to charge (1, or 0 to peek), half.
 */
export const CONSUME_CAPPED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local field, period, limit, charge, half = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HGET', KEYS[1], field)
local entry = known or redis.call('HGET', KEYS[2], field)
local start, used = now, 0
if entry then
  local colon = string.find(entry, ':', 1, true)
  start, used = tonumber(string.sub(entry, 1, colon - 1)), tonumber(string.sub(entry, colon + 1))
  if start > now then start = now end
  if now - start >= period then start, used = now, 0 end
end
local admitted = 0
if used < limit then
  admitted = 1
  if charge > 0 then
    used = used + charge
    local born = tonumber(redis.call('HGET', KEYS[1], 'born') or now)
    if now - born >= period or not known and redis.call('HLEN', KEYS[1]) > half then
      redis.call('UNLINK', KEYS[2])
      redis.call('RENAME', KEYS[1], KEYS[2])
    end
    if redis.call('HSETNX', KEYS[1], 'born', now) == 1 then redis.call('PEXPIRE', KEYS[1], 2 * period) end
    redis.call('HSET', KEYS[1], field, string.format('%.0f:%d', start, used))
  end
end
return { admitted, used, start + period, 0, 0, now }`;

/**
 * Tells the other replicas of this one. A generation is one life of the data. It ends when data may have been lost: the
 * server has restarted, or a replica of it was promoted. A slot that moves to another master takes its life along: that
 * master is another node, and does not continue the replication of the former one.
 *
 * KEYS: replicas by when they were last there, and, as the last one, "life run node replication" of the server that has
 * the data: one key, because a script cannot have two in a slot that moves. ARGV: replica, how long it is there in ms, the
 * generation that it is a member of, a name for a new life.
 */
export const ANNOUNCE = `
local function ask(...) -- an access list may forbid it
  local reply = redis.pcall(...)
  return type(reply) == 'string' and reply or ''
end
local function info(section, name) return string.match(ask('INFO', section), name .. ':(%w+)') or '' end
local time = redis.call('TIME')
local now = time[1]
local known = redis.call('ZRANGEBYSCORE', KEYS[1], '+inf', '+inf')[1]
local life, lastRun, lastNode, lastId = string.match(known or '', '^(%S+) (%w*) (%w*) (%w*)$')
local run, node, id = info('server', 'run_id'), lastNode, lastId
if run ~= lastRun then node = ask('CLUSTER', 'MYID') end
if node ~= '' then id = info('replication', 'master_replid') end
if run ~= lastRun then
  local other = life and node ~= '' and lastNode ~= '' and node ~= lastNode
  if not other or info('replication', 'master_replid2') == lastId then life = ARGV[4] end
end
local server = table.concat({ life, run, node, id or '' }, ' ')
if server ~= known then
  if known then redis.call('ZREM', KEYS[1], known) end
  redis.call('ZADD', KEYS[1], '+inf', server)
end
if life == ARGV[3] then redis.call('ZADD', KEYS[1], now, ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2] / 1000)
return { redis.call('ZCARD', KEYS[1]) - 1, life, now * 1000 + math.floor(time[2] / 1000) }
`;
