/**
 * The quota of one caller is one hash, so that one script decides about it in one step, in one slot of a cluster:
 * `m` when the minute began, `n` used in it, `d` the UTC day (since 1970-01-01), `u` used in it, `p` and `q` the same of
 * the day before that. Time is the server's own: replicas whose clocks differ agree. A server clock that steps back ends
 * no minute, and finds the counts of the day before.
 */
const READ = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(time[1] / 86400)
local hash = redis.call('HMGET', KEYS[1], 'm', 'n', 'd', 'u')
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
`;

const WRITE = `
redis.call('HSET', KEYS[1], 'm', start, 'n', minuteUsed, 'd', day, 'u', dayUsed)
if before then redis.call('HSET', KEYS[1], 'p', before, 'q', usedBefore) end
if start == now then redis.call('PEXPIRE', KEYS[1], perDay > 0 and 172800000 or 2 * period) end
`;

const ANSWER = `
return { admitted, minuteUsed, start + period, dayUsed, (day + 1) * 86400000, now }
`;

/** ARGV: period in ms, limit per minute, limit per day (0: none), what to charge (1, or 0 to look). */
export const TAKE = `${READ}
local perMinute, perDay, charge = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local admitted = 0
if minuteUsed < perMinute and (perDay == 0 or dayUsed < perDay) then
  admitted = 1
  if charge > 0 then
    minuteUsed, dayUsed = minuteUsed + charge, dayUsed + charge
${WRITE}
  end
end
${ANSWER}`;

/**
 * A window of which there may be any number: those of addresses, and of routes with a limit of their own. They share
 * hashes, a field each: "start:used". When the young hash holds `half` of what the table may hold, or is a period old,
 * it takes the place of the old one, which is dropped: the table has a hard cap, and nothing in it is searched for.
 * KEYS: young, old. ARGV: the field, period in ms, limit, what to charge (1, or 0 to look), half.
 */
export const TAKE_CAPPED = `
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

/** ARGV: period in ms, requests of the running minute, its age in ms, requests of the day, that day. */
export const REPAY = `${READ}
local addMinute, age, addDay = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local admitted = 1
if minuteUsed == 0 and age < period then start = now - age end
if age < period then minuteUsed = minuteUsed + addMinute end
if tonumber(ARGV[5]) == day then dayUsed = dayUsed + addDay end
redis.call('HSET', KEYS[1], 'm', start, 'n', minuteUsed, 'd', day, 'u', dayUsed)
if before then redis.call('HSET', KEYS[1], 'p', before, 'q', usedBefore) end
redis.call('PEXPIRE', KEYS[1], 172800000)
${ANSWER}`;
