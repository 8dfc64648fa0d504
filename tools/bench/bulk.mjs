/** Bulk deletes: against what the connections could carry, and against undici alone. */
import { idsFile, inTurn, measured, median, rateOf, report, serve } from './measure.mjs'

/** Requests a second without the start: a run of `count` ids less one of 10,000. */
const steady = (count, msOf) => ((count - 10_000) * 10) / (msOf(count) - msOf(10_000))

export const deleteIds = (env, count, concurrency) =>
  measured(
    `contacts delete --yes --json --concurrency ${concurrency} --file ${idsFile(count)}`,
    env,
  )

/** For svc and undici's `dispatch` in turn, as shares of what the latency allows. */
async function withLatency(latency, connections, { ofDispatch, ofAll }) {
  const env = await serve({ latency })
  const count = latency < 100 ? 100_000 : 60_000
  const shareOf = (msOf) => (steady(count, msOf) * latency) / (connections * 1000)
  const cases = {
    ours: () => shareOf((ids) => deleteIds(env, ids, connections).ms),
    plain: () => shareOf((ids) => (ids * 10) / rateOf(env, connections, ids / 100)),
  }
  const { ours, plain } = inTurn(cases, 5)
  const what = `bulk delete at ${latency} ms, ${connections} in flight`
  const share = median(ours.map((each, n) => each / plain[n]))
  if (ofDispatch !== undefined) report(`${what} ÷ undici's dispatch`, share, ofDispatch)
  if (ofAll !== undefined) report(`${what} ÷ (c ÷ latency)`, median(ours), ofAll)
}

export async function bulk() {
  await withLatency(20, 8, { ofDispatch: '≥ 0.80' })
  await withLatency(20, 32, { ofDispatch: '≥ 0.62' })
  await withLatency(100, 8, { ofAll: '≥ 0.94' })
  await withLatency(100, 32, { ofAll: '≥ 0.85' })
}
