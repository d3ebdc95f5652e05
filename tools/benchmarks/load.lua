-- wrk: the requests of a file, one line each, in turn; prints what was measured as one line of JSON.
--   arguments: file, prefix of every path, number of the first request, same|vary (Host), Accept-Encoding or none
local requests, count, number = {}, 0, 0
local prefix, vary, tail

function init(args)
  prefix, number, vary = args[2], tonumber(args[3]), args[4] == "vary"
  local encoding = args[5] ~= "none" and ("Accept-Encoding: " .. args[5] .. "\r\n") or ""
  tail = "\r\n" .. encoding .. "\r\n"
  for line in io.lines(args[1]) do
    count = count + 1
    requests[count] = "GET " .. prefix .. line .. " HTTP/1.1\r\nHost: "
  end
end

function request()
  number = number + 1
  local host = vary and string.format("n%d.example", number) or "127.0.0.1"
  return requests[(number - 1) % count + 1] .. host .. tail
end

function done(summary, latency)
  local e = summary.errors
  print(string.format(
    '{"seconds":%.6f,"requests":%d,"bytes":%d,"p50_ms":%.3f,"p99_ms":%.3f,"failed":%d,"broken":%d}',
    summary.duration / 1e6, summary.requests, summary.bytes, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.status, e.connect + e.read + e.write + e.timeout))
end
