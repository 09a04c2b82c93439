-- What wrk sends: `-- DEPTH same|vary`, so many requests at a time. With `vary` every request has a
-- cookie of its own and one of 64 User-Agents. The result is a line of JSON.

local function batch(number, depth, vary)
    local texts = {}
    for i = 1, depth do
        if vary then
            wrk.headers["User-Agent"] = string.format("bench/%08d", number % 64)
            wrk.headers["Cookie"] = string.format("session=%08d", number * depth + i)
        end
        texts[i] = wrk.format()
    end
    return table.concat(texts)
end

function init(args)
    local depth, vary = tonumber(args[1]), args[2] == "vary"
    if depth == 1 and not vary then
        return -- wrk's own way, which costs it the least
    end
    local batches, next_one = {}, 0
    local count = vary and 16384 / depth or 1
    for i = 1, count do
        batches[i] = batch(i, depth, vary)
    end
    function request()
        next_one = next_one % count + 1
        return batches[next_one]
    end
end

function done(summary, latency)
    local e = summary.errors
    io.write(string.format(
        'RESULT {"requests": %d, "seconds": %f, "bytes": %.0f, "errors": %d, "p50_us": %d, "p99_us": %d}\n',
        summary.requests, summary.duration / 1e6, summary.bytes,
        e.connect + e.read + e.write + e.status + e.timeout,
        latency:percentile(50), latency:percentile(99)))
end
