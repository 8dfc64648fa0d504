/** Bulk deletes: against what the connections could carry, and against undici alone. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { dispatch, folder, idsFile, inTurn, measured, median } from './measure.mjs'
import { rateOf, remove, report, serve } from './measure.mjs'

/**
 * Requests a second in the steady phase, 100 ids each: a run of `count` ids less one of 10,000, so that the start, connections that
 * are opened and code that is compiled are no part of the rate. `msOf`: how long so many ids take.
 */
const steady = (count, msOf) => ((count - 10_000) * 10) / (msOf(count) - msOf(10_000))

/** With latency, for svc and for undici's `dispatch` in turn. */
function withLatency({ env, port }, { latency, connections, rounds, goal, count }) {
  const limit = (connections * 1000) / latency
  const shareOf = (msOf) => steady(count, msOf) / limit
  const { ours, plain } = inTurn(
    {
      ours: () => shareOf((ids) => remove(env, idsFile(ids), connections).ms),
      plain: () => shareOf((ids) => (ids * 10) / rateOf(port, connections, ids / 100)),
    },
    rounds,
  )
  const ofDispatch = median(ours.map((share, round) => share / plain[round]))
  const [against, value, other] =
    latency < 100
      ? ["undici's dispatch", ofDispatch, `${median(ours).toFixed(2)} of c ÷ latency`]
      : ['(c ÷ latency)', median(ours), `${ofDispatch.toFixed(2)} of undici's dispatch`]
  const what = `bulk delete at ${latency} ms, ${connections} in flight, in the steady phase ÷ ${against}`
  report(what, value, `≥ ${goal}`, `${other}; dispatch ${median(plain).toFixed(2)} of c ÷ latency`)
}

/** A million ids without latency, in processor time, which a busy machine tells too. */
async function million() {
  const { env, port } = await serve({})
  const ids = idsFile(1_000_000)
  let state
  const { ours, plain } = inTurn(
    {
      ours() {
        state = join(folder, `million-${performance.now()}`)
        return remove({ ...env, SVC_STATE_DIR: state }, ids, 8)
      },
      plain: () => measured([port, 8, 10_000].map(String), { program: dispatch }),
    },
    3,
  )
  const ratio = median(ours, 'cpu') / median(plain, 'cpu')
  const each = `${(median(ours, 'cpu') / 1000).toFixed(1)} µs an id`
  const what = "1,000,000 deletes at 0 ms, processor time ÷ undici's dispatch, signed, no record"
  report(what, ratio, '≤ 3.2', each)
  report('1,000,000 deletes: MB', median(ours, 'memory'), '≤ 270')
  report('1,000,000 deletes, file: MB', statSync(join(state, 'runs.db')).size / 1e6, '≤ 50')
}

export async function bulk() {
  await million()
  const [slow, slower] = [await serve({ latency: 20 }), await serve({ latency: 100 })]
  withLatency(slow, { latency: 20, connections: 8, rounds: 5, goal: 0.92, count: 100_000 })
  withLatency(slow, { latency: 20, connections: 32, rounds: 7, goal: 0.72, count: 100_000 })
  withLatency(slower, { latency: 100, connections: 8, rounds: 3, goal: 0.97, count: 60_000 })
  withLatency(slower, { latency: 100, connections: 32, rounds: 5, goal: 0.92, count: 60_000 })
}
