/** This build and another one in turn: bulk and memory, each as the median of the ratios of the rounds. */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bin, folder, idsFile, interleave, median, remove, report, serve } from './measure.mjs'

/** More than this is worse; less is the noise of a machine. */
const noise = 1.05

/** `what`: how much of it is worse. A ratio above one means that this build is worse. */
function judge(what, ours, theirs, unit) {
  const ratio = median(ours.map((value, round) => value / theirs[round]))
  const detail = `${median(ours).toFixed(1)} and ${median(theirs).toFixed(1)} ${unit}`
  report(`${what}: this build ÷ the other`, ratio, `≤ ${noise}`, detail)
}

/** A delete of so many ids with so many requests in flight. */
async function bulk(other, { latency, count, concurrency, rounds }) {
  const { env } = await serve(latency)
  const ids = idsFile(count)
  const removal = (program) => () => {
    rmSync(join(folder, 'svc'), { recursive: true, force: true })
    const { summary, memory } = remove(env, ids, concurrency, { program })
    return { ms: summary.durationMs, memory }
  }
  const { ours, theirs } = interleave({ ours: removal(bin), theirs: removal(other) }, rounds)
  const what = `${count.toLocaleString('en-US')} ids at ${latency} ms, ${concurrency} in flight`
  const of = (part) => [ours, theirs].map((taken) => taken.map((one) => one[part]))
  judge(what, ...of('ms'), 'ms')
  judge(`memory of ${what}`, ...of('memory'), 'MB')
}

/** `other`: a folder in which another build of svc is. */
export async function compare(other) {
  const program = join(resolve(other), 'bin/svc.js')
  await bulk(program, { latency: 20, count: 20_000, concurrency: 8, rounds: 7 })
  await bulk(program, { latency: 20, count: 60_000, concurrency: 32, rounds: 7 })
  await bulk(program, { latency: 0, count: 100_000, concurrency: 8, rounds: 7 })
}
