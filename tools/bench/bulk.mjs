/** Bulk deletes: against what the connections could carry, against undici alone, and against a loop in a shell. */
import { execFileSync, spawnSync } from 'node:child_process'
import { idsFile, median, rateOf, remove, report, serve } from './measure.mjs'

function has(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

/** Requests a second of a client that makes and signs the same bodies, and keeps no journal. */
const dispatchRate = (...words) => rateOf('dispatch.mjs', ...words)

const requestsPerSecond = ({ summary }) => (summary.batches.total * 1000) / summary.durationMs

/** What people would write: a request of 100 ids after the other. */
function bashLoop(port, ids, requests) {
  const script = `
    set -e; cd "$(mktemp -d)"; head -n ${requests * 100} "$1" | split -l 100 - part.
    for part in part.*; do
      body=$(jq -Rnc '{contactIds: [inputs]}' "$part"); now=$(date +%s%3N)
      sum=$(printf '%s.%s' "$now" "$body" | openssl dgst -sha256 -hmac sk | cut -d' ' -f2)
      curl -sf -o /dev/null -H "X-Service-Key: k" -H "X-Service-Timestamp: $now" -H "X-Service-Signature: $sum" \\
        -H 'Content-Type: application/json' -d "$body" "http://127.0.0.1:${port}/v1/contacts/bulk-delete"
    done`
  const started = performance.now()
  execFileSync('bash', ['-c', script, 'bash', ids])
  return (requests * 1000) / (performance.now() - started)
}

/** Without latency: everything that svc does for a request. */
async function withoutLatency({ env, port }, ids) {
  const [rates, plain] = [[], []]
  for (let round = 0; round < 5; round += 1) {
    const removed = remove(env, ids, 16)
    rates.push(requestsPerSecond(removed))
    plain.push(dispatchRate(port, 16, removed.summary.batches.total))
  }
  const ratio = median(rates) / median(plain)
  const detail = `${median(rates).toFixed(0)} of ${median(plain).toFixed(0)} requests/s`
  report("bulk delete at 0 ms, 16 in flight ÷ undici's dispatch, signed, no journal", ratio, '≥ 0.3', detail)
  if (!['bash', 'jq', 'openssl', 'curl', 'split'].every(has)) return
  const [ours, loops] = [[], []]
  for (let round = 0; round < 5; round += 1) {
    ours.push(requestsPerSecond(remove(env, ids, 8)))
    loops.push(bashLoop(port, ids, 40))
  }
  const times = median(ours) / median(loops)
  report('bulk delete at 0 ms, 8 in flight ÷ bash, jq, openssl, curl', times, '≥ 60')
}

/**
 * With latency, in the steady phase: connections that are opened and code that is compiled are no part of the rate, so a longer run less
 * a shorter one, for svc and for undici's `dispatch` in turn.
 */
function withLatency({ env, port }, { latency, connections, rounds, goal, ids, small }) {
  const limit = (connections * 1000) / latency
  const steady = ([long, short]) => ((long.requests - short.requests) * 1000) / (long.ms - short.ms) / limit
  const [ours, plain] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const runs = [ids, small].map((file) => remove(env, file, connections).summary)
    ours.push(steady(runs.map(({ batches, durationMs }) => ({ requests: batches.total, ms: durationMs }))))
    const requests = runs.map(({ batches }) => batches.total)
    plain.push(steady(requests.map((n) => ({ requests: n, ms: (n * 1000) / dispatchRate(port, connections, n) }))))
  }
  const ofDispatch = median(ours.map((share, round) => share / plain[round]))
  const [against, value, other] =
    latency < 100
      ? ["undici's dispatch", ofDispatch, `${median(ours).toFixed(2)} of c ÷ latency`]
      : ['(c ÷ latency)', median(ours), `${ofDispatch.toFixed(2)} of undici's dispatch`]
  const what = `bulk delete at ${latency} ms, ${connections} in flight, in the steady phase ÷ ${against}`
  report(what, value, `≥ ${goal}`, `${other}; dispatch ${median(plain).toFixed(2)} of c ÷ latency`)
}

export async function bulk() {
  const ids = idsFile(100_000)
  const small = idsFile(10_000)
  const fast = await serve(0)
  await withoutLatency(fast, ids)
  const [slow, slower] = [await serve(20), await serve(100)]
  const middle = idsFile(60_000)
  withLatency(slow, { latency: 20, connections: 8, rounds: 5, goal: 0.96, ids, small })
  withLatency(slow, { latency: 20, connections: 32, rounds: 7, goal: 0.96, ids, small })
  withLatency(slower, { latency: 100, connections: 8, rounds: 3, goal: 0.97, ids: middle, small })
  withLatency(slower, { latency: 100, connections: 32, rounds: 5, goal: 0.96, ids: middle, small })
  const [recorded, unrecorded] = [[], []]
  for (let round = 0; round < 5; round += 1) {
    recorded.push(remove(slow.env, small, 4).summary.durationMs)
    unrecorded.push(remove(slow.env, small, 4, { more: ['--no-journal'] }).summary.durationMs)
  }
  const cost = median(recorded) / median(unrecorded)
  report('journal at 20 ms, 4 in flight: with ÷ without', cost, '≤ 1.05')

  const [large, little] = [[], []]
  for (let round = 0; round < 3; round += 1) {
    large.push(remove(fast.env, ids, 8).memory)
    little.push(remove(fast.env, small, 8).memory)
  }
  const growth = median(large) / median(little)
  report('memory of 100,000 ids ÷ 10,000', growth, '≤ 1.15', `${median(large).toFixed(0)} MB`)
}
