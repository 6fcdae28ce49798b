-- Makes wrk send requests with BENCH_METHOD and BENCH_BODY to random paths from the file BENCH_PATHS (one per line), and
-- print its totals as one line of JSON.
wrk.method = os.getenv("BENCH_METHOD")
local body = os.getenv("BENCH_BODY")
local next = tonumber(os.getenv("BENCH_NEXT"))
local varies = body:find("{random}", 1, true) or body:find("{next}", 1, true)
wrk.body = body
local paths, requests, keys = {}, {}, {}
for key in os.getenv("BENCH_KEYS"):gmatch("[^,]+") do keys[#keys + 1] = key end

function init()
  math.randomseed(os.time())
  for path in io.lines(os.getenv("BENCH_PATHS")) do
    paths[#paths + 1] = path
    requests[#requests + 1] = wrk.format(nil, path)
  end
end

function request()
  local chosen = math.random(#requests)
  if #keys > 1 then -- each in turn
    next = next + 1
    local headers = { authorization = "Bearer " .. keys[next % #keys + 1] }
    for name, value in pairs(wrk.headers) do headers[name] = headers[name] or value end
    return wrk.format(nil, paths[chosen], headers)
  end
  if not varies then return requests[chosen] end
  next = next + 1
  local filled = body:gsub("{random}", math.random(1000000000)):gsub("{next}", next - 1)
  return wrk.format(nil, paths[chosen], nil, filled)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"responses":%d,"errorStatuses":%d,"socketErrors":%d,"micros":%d,"p50":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50)))
end
