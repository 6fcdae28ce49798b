-- Makes wrk send what BENCH_METHOD and BENCH_BODY say, and print its totals as one line of JSON.
wrk.method = os.getenv("BENCH_METHOD")
wrk.body = os.getenv("BENCH_BODY")

function done(summary)
  local errors = summary.errors
  io.write(string.format('\n{"answers":%d,"errorStatuses":%d,"socketErrors":%d,"micros":%d}\n',
    summary.requests, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, summary.duration))
end
