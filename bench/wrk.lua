-- Makes wrk send what BENCH_METHOD, BENCH_BODY and the file BENCH_PATHS (one path a line, by chance) say, and print
-- its totals as one line of JSON.
wrk.method = os.getenv("BENCH_METHOD")
wrk.body = os.getenv("BENCH_BODY")
local requests = {}

function init()
  math.randomseed(os.time())
  for path in io.lines(os.getenv("BENCH_PATHS")) do
    requests[#requests + 1] = wrk.format(nil, path)
  end
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"answers":%d,"errorStatuses":%d,"socketErrors":%d,"micros":%d,"p50":%d,"p99":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration, latency:percentile(50), latency:percentile(99)))
end
