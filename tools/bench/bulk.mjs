/** Bulk deletes: against what the connections could carry, against undici alone, and against a loop in a shell. */
import { execFileSync, spawnSync } from 'node:child_process'
import { idsFile, median, rateOf, remove, report, serve } from './measure.mjs'

function has(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

/** Of a client that sends the same bytes over and over. */
const bareRate = (port, connections, requests) => rateOf('client.mjs', port, connections, requests, 'post')

/** Of a client that makes and signs the same bodies, and keeps no journal. */
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

/** With latency, against as many requests as the connections could carry. */
async function withLatency({ env, port }, { latency, connections, goal, ids, small }) {
  const [shares, wholes, bare, plain] = [[], [], [], []]
  const limit = (connections * 1000) / latency
  for (let round = 0; round < 3; round += 1) {
    const [long, short] = [ids, small].map((file) => remove(env, file, connections).summary)
    // Connections that are opened and code that is compiled are no part of the rate: the longer run less the shorter one.
    const batches = long.batches.total - short.batches.total
    shares.push((batches * 1000) / (long.durationMs - short.durationMs) / limit)
    wholes.push((long.batches.total * 1000) / long.durationMs / limit)
    bare.push(bareRate(port, connections, 3000) / limit)
    plain.push(dispatchRate(port, connections, 1000) / limit)
  }
  report(
    `bulk delete at ${latency} ms, ${connections} in flight, in the steady phase ÷ (c ÷ latency)`,
    median(shares),
    `≥ ${goal}`,
    `its beginning included ${median(wholes).toFixed(2)}; undici's dispatch ${median(plain).toFixed(2)}, a bare client ${median(bare).toFixed(2)}`,
  )
}

export async function bulk() {
  const ids = idsFile(100_000)
  const small = idsFile(10_000)
  const fast = await serve(0)
  await withoutLatency(fast, ids)
  const [slow, quick] = [await serve(20), await serve(5)]
  await withLatency(slow, { latency: 20, connections: 8, goal: 0.95, ids, small })
  await withLatency(slow, { latency: 20, connections: 32, goal: 0.9, ids, small })
  await withLatency(quick, { latency: 5, connections: 8, goal: 0.85, ids, small })
  const [recorded, unrecorded] = [[], []]
  for (let round = 0; round < 5; round += 1) {
    recorded.push(remove(slow.env, small, 4).summary.durationMs)
    unrecorded.push(remove(slow.env, small, 4, { more: ['--no-journal'] }).summary.durationMs)
  }
  const cost = median(recorded) / median(unrecorded)
  report('journal at 20 ms, 4 in flight: with ÷ without', cost, '≤ 1.03')

  const [large, little] = [[], []]
  for (let round = 0; round < 3; round += 1) {
    large.push(remove(fast.env, ids, 8).memory)
    little.push(remove(fast.env, small, 8).memory)
  }
  const growth = median(large) / median(little)
  report('memory of 100,000 ids ÷ 10,000', growth, '≤ 1.15', `${median(large).toFixed(0)} MB`)
}
