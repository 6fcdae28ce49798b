/**
 * The quota of one caller is one hash, so that one script decides about it in one step, in one slot of a cluster:
 * `m` when the minute began, `n` used in it, `d` the UTC day (since 1970-01-01), `u` used in it.
 * Time is the server's own: replicas whose clocks differ agree. A server clock that steps back ends no window.
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
if today > day then day, dayUsed = today, 0 end
`;

const WRITE = `
redis.call('HSET', KEYS[1], 'm', start, 'n', minuteUsed, 'd', day, 'u', dayUsed)
if start == now then redis.call('PEXPIRE', KEYS[1], perDay > 0 and 172800000 or 2 * period) end
`;

const ANSWER = `
return { admitted, minuteUsed, start + period - now, dayUsed, (day + 1) * 86400000 - now }
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

/** ARGV: period in ms, requests of the running minute, its age in ms, requests of the day, that day. */
export const REPAY = `${READ}
local addMinute, age, addDay = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local admitted = 1
if minuteUsed == 0 and age < period then start = now - age end
if age < period then minuteUsed = minuteUsed + addMinute end
if tonumber(ARGV[5]) == day then dayUsed = dayUsed + addDay end
redis.call('HSET', KEYS[1], 'm', start, 'n', minuteUsed, 'd', day, 'u', dayUsed)
redis.call('PEXPIRE', KEYS[1], 172800000)
${ANSWER}`;
