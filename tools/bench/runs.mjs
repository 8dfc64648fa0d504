/** A thousand recorded runs, read back. */
import { copyFileSync, cpSync, readdirSync } from 'node:fs'
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

/** The extra cost of a thousand finished runs of one job: to list them, to find the newest, and for the same command. */
export async function runs() {
  const { env } = await serve(0, 1, 1, ['missing'])
  const removal = ['contacts', 'delete', '--yes', '--file', idsFile(100)]
  measured(removal, { env: { ...env, SVC_STATE_DIR: at('runs-1') }, codes: [3] })
  cpSync(at('runs-1'), at('runs-1000'), { recursive: true })
  const [first] = readdirSync(at('runs-1/runs'))
  for (let n = 2; n <= 1000; n += 1)
    copyFileSync(
      at(`runs-1/runs/${first}`),
      at(`runs-1000/runs/${first.replace(/\d+(?=\.ndjson)/, String(n))}`),
    )
  compare({ env, words: ['runs', 'list', '--json'], goal: 130 })
  compare({ env, words: ['runs', 'export', '--last'], goal: 130 })
  compare({ env, words: [...removal, '--dry-run'], goal: 100 })
}

function compare({ env, words, goal }) {
  const run = (count) => () => time([bin, ...words], { ...env, SVC_STATE_DIR: at(`runs-${count}`) })
  const times = interleave({ one: run(1), thousand: run(1000) }, 11)
  const more = median(times.thousand) - median(times.one)
  const detail = `${median(times.thousand).toFixed(0)} and ${median(times.one).toFixed(0)} ms`
  report(
    `svc ${words.slice(0, 2).join(' ')}: ms more with 1,000 runs than with one`,
    more,
    `≤ ${goal}`,
    detail,
  )
}
