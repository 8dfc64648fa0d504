/** Reading runs back: a list of a thousand, and one of ten million ids. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, environment, folder, here, interleave, median, report, time } from './measure.mjs'
import { writeRun } from './recorded-run.mjs'

const env = { ...environment, SVC_BASE_URL: 'http://127.0.0.1:9' }

function recorded(name, count, options) {
  const stateDir = join(folder, name)
  for (let number = 0; number < count; number += 1) writeRun(stateDir, { number, ...options })
  return stateDir
}

/** What a thousand runs, each of which came to its end with ids that the service does not have, cost more than one. */
export function runs() {
  const [one, thousand] = [recorded('one-run', 1), recorded('thousand-runs', 1000)]
  for (const words of [
    ['runs', 'list', '--json'],
    ['runs', 'resume', '--last', '--yes'],
  ]) {
    const run = (stateDir) => () => time(process.execPath, [bin, ...words, '--state-dir', stateDir], env)
    const times = interleave({ one: run(one), thousand: run(thousand) }, 11)
    const more = median(times.thousand) - median(times.one)
    const detail = `${median(times.thousand).toFixed(0)} and ${median(times.one).toFixed(0)} ms`
    report(
      `svc ${words.slice(0, 2).join(' ')}: ms more with 1,000 runs than with one`,
      more,
      '≤ 300',
      more <= 300,
      detail,
    )
  }
}

/** A run of ten million ids that the service does not have. */
export function largeRun() {
  const stateDir = join(folder, 'large-run')
  const run = writeRun(stateDir, { ids: 10_000_000 })
  const memory = join(folder, 'memory')
  for (const [format, goal] of [
    ['json', 300],
    ['table', 300],
  ]) {
    const started = performance.now()
    const words = ['runs', 'show', run, '-o', format, '--state-dir', stateDir]
    const { status, stderr } = spawnSync(process.execPath, ['--require', join(here, 'memory.cjs'), bin, ...words], {
      env: { ...env, BENCH_MEMORY: memory },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (status !== 3 && status !== 0) throw new Error(`show: ${status} ${stderr}`)
    const megabytes = Number(readFileSync(memory, 'utf8')) / 1024
    const detail = `${((performance.now() - started) / 1000).toFixed(1)} s`
    report(`runs show of 10,000,000 missing ids, ${format}: MB`, megabytes, `≤ ${goal}`, megabytes <= goal, detail)
  }
}
