/** Reading runs back: a list of a thousand, and one of ten million ids. */
import { join } from 'node:path'
import { bin, environment, folder, interleave, measured, median, nowhere, report, time } from './measure.mjs'
import { writeRun } from './recorded-run.mjs'

const env = { ...environment, SVC_BASE_URL: 'http://127.0.0.1:9' }

function recorded(name, count, options) {
  const stateDir = join(folder, name)
  for (let number = 0; number < count; number += 1) writeRun(stateDir, { number, ...options })
  return stateDir
}

/** What a thousand runs cost more than one: runs that came to their end, and runs that were killed after their last answer. */
export function runs() {
  compare('1,000 runs', {}, { words: ['runs', 'list', '--json'], goal: 300 })
  const resume = ['runs', 'resume', '--last', '--yes']
  compare('1,000 runs', {}, { words: resume, goal: 300 })
  // Each of these has to be read whole to know that nothing is left of it.
  compare('1,000 runs without an ending', { ending: 'answered' }, { words: resume, goal: 1000 })
}

function compare(what, options, { words, goal }) {
  const [one, thousand] = [1, 1000].map((count) => recorded(`${what}-${words[1]}-${count}`, count, options))
  const run = (stateDir) => () => time([bin, ...words, '--state-dir', stateDir], env)
  const times = interleave({ one: run(one), thousand: run(thousand) }, 11)
  const more = median(times.thousand) - median(times.one)
  const detail = `${median(times.thousand).toFixed(0)} and ${median(times.one).toFixed(0)} ms`
  report(`svc ${words.slice(0, 2).join(' ')}: ms more with ${what} than with one`, more, `≤ ${goal}`, detail)
}

/** A run of ten million ids that the service does not have. */
export function largeRun() {
  const stateDir = join(folder, 'large-run')
  const run = writeRun(stateDir, { ids: 10_000_000 })
  for (const format of ['json', 'table']) {
    const words = ['runs', 'show', run, '-o', format, '--state-dir', stateDir]
    const { memory, ms } = measured(words, { env, codes: [0, 3], stdout: nowhere })
    report(`runs show of 10,000,000 missing ids, ${format}: MB`, memory, '≤ 300', `${(ms / 1000).toFixed(1)} s`)
  }
}
