/** A thousand recorded runs, read back. */
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  bin,
  folder,
  idsFile,
  interleave,
  measured,
  median,
  report,
  serve,
  time,
} from './measure.mjs'

const at = (name) => join(folder, name)

/** The extra cost of a thousand runs: finished ones, and ones with half a line behind their end. */
export async function runs() {
  const { env } = await serve(0, 1, 1, ['missing'])
  const removal = `contacts delete --yes --file ${idsFile(100)}`
  const own = { ...env, SVC_STATE_DIR: at('whole-1000') }
  measured(removal.split(' '), { env: own, codes: [3] })
  const [first] = readdirSync(at('whole-1000/runs'))
  for (let n = 0; n < 1000; n += 1) {
    const name = first.replace(/....(?=\.ndjson)/, n.toString(16).padStart(4, '0'))
    copyFileSync(at(`whole-1000/runs/${first}`), at(`whole-1000/runs/${name}`))
  }
  rmSync(at(`whole-1000/runs/${first}`), { force: true })
  const names = readdirSync(at('whole-1000/runs'))
  cpSync(at('whole-1000'), at('cut-1000'), { recursive: true })
  for (const name of names) appendFileSync(at(`cut-1000/runs/${name}`), '\n{')
  for (const kind of ['whole', 'cut']) {
    mkdirSync(at(`${kind}-1/runs`), { recursive: true, mode: 0o700 })
    copyFileSync(at(`${kind}-1000/runs/${names[0]}`), at(`${kind}-1/runs/${names[0]}`))
  }
  compare('1,000 runs', 'whole', { env, words: ['runs', 'list', '--json'], goal: 300 })
  const resume = ['runs', 'resume', '--last', '--yes']
  compare('1,000 runs', 'whole', { env, words: resume, goal: 300 })
  // Each of these has to be read whole to know that nothing is left of it.
  compare('1,000 runs with half a line', 'cut', { env, words: resume, goal: 1000 })
}

function compare(what, kind, { env, words, goal }) {
  const run = (count) => () =>
    time([bin, ...words], { ...env, SVC_STATE_DIR: at(`${kind}-${count}`) })
  const times = interleave({ one: run(1), thousand: run(1000) }, 11)
  const more = median(times.thousand) - median(times.one)
  const detail = `${median(times.thousand).toFixed(0)} and ${median(times.one).toFixed(0)} ms`
  report(
    `svc ${words.slice(0, 2).join(' ')}: ms more with ${what} than with one`,
    more,
    `≤ ${goal}`,
    detail,
  )
}
