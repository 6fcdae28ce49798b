/**
 * Decides about one request of a key in one step. The quota is one hash, and therefore in one slot of a
 * cluster: `m` is the start of the minute, `n` the requests used in it, `d` the UTC day (since 1970-01-01),
 * `u` the requests used in it. Times come from the server, so replicas with different clocks agree. If the
 * server's clock steps back, the minute does not end. KEYS: the hash. ARGV: limit per minute, limit per day,
 * 1 to charge or 0 to peek, and the recorded usage of the day, which initialises a hash without that day.
 * Without that argument, the reply for such a hash is -1, and nothing is decided; its fourth number is 1 if it
 * has an earlier day, so that Redis has not lost it.
 */
export const CONSUME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(time[1] / 86400)
local hash = redis.call('HMGET', KEYS[1], 'm', 'n', 'd', 'u')
local start, minuteUsed = tonumber(hash[1]) or now, tonumber(hash[2]) or 0
if start > now then start = now end
if minuteUsed == 0 or now - start >= 60000 then start, minuteUsed = now, 0 end
local dayUsed = tonumber(hash[4])
if tonumber(hash[3]) ~= today then
  dayUsed = tonumber(ARGV[4])
  if not dayUsed then return { -1, minuteUsed, start + 60000, hash[3] and 1 or 0, (today + 1) * 86400000, now } end
  redis.call('HSET', KEYS[1], 'd', today, 'u', dayUsed)
  redis.call('PEXPIRE', KEYS[1], 172800000)
end
local admitted = 0
if minuteUsed < tonumber(ARGV[1]) and dayUsed < tonumber(ARGV[2]) then
  admitted = 1
  if ARGV[3] == '1' then
    minuteUsed, dayUsed = minuteUsed + 1, dayUsed + 1
    redis.call('HSET', KEYS[1], 'm', start, 'n', minuteUsed, 'u', dayUsed)
  end
end
return { admitted, minuteUsed, start + 60000, dayUsed, (today + 1) * 86400000, now }
`;

/**
 * Decides about a request in one of any number of windows: those of addresses, and of routes with their own
 * limit. The windows share a hash, with one field each: "end:used". When the hash is full, ended windows are
 * deleted, or all of them if that does not make room. KEYS: the hash. ARGV: the field, length in ms, limit, 1
 * to charge or 0 to peek, how many windows the hash may hold, and for how many ms it is kept after its last
 * use.
 */
export const CONSUME_CAPPED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local field, period, max = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5])
local known = redis.call('HGET', KEYS[1], field)
local ending, used = now + period, 0
if known then
  local colon = string.find(known, ':', 1, true)
  local knownEnd = tonumber(string.sub(known, 1, colon - 1))
  if knownEnd > now then ending, used = math.min(knownEnd, now + period), tonumber(string.sub(known, colon + 1)) end
end
local admitted = 0
if used < tonumber(ARGV[3]) then
  admitted = 1
  if ARGV[4] == '1' then
    used = used + 1
    if not known and redis.call('HLEN', KEYS[1]) >= max then
      local fields = redis.call('HGETALL', KEYS[1])
      for i = 1, #fields, 2 do
        if tonumber(string.match(fields[i + 1], '^%d+')) <= now then redis.call('HDEL', KEYS[1], fields[i]) end
      end
      if redis.call('HLEN', KEYS[1]) > max / 2 then redis.call('UNLINK', KEYS[1]) end
    end
    redis.call('HSET', KEYS[1], field, string.format('%.0f:%d', ending, used))
    redis.call('PEXPIRE', KEYS[1], ARGV[6])
  end
end
return { admitted, used, ending, 0, 0, now }
`;

/**
 * Announces this replica, and returns the number of replicas. KEYS: when each was last seen. ARGV: replica,
 * for how many seconds.
 */
export const ANNOUNCE = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], 1000 * ARGV[2])
return redis.call('ZCARD', KEYS[1])
`;
