/** Runs that are large in memory: a million contacts that are not there, and pairs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, idsFile, inTurn, measured, median, nowhere, report, serve } from './measure.mjs'

function pairsFile(count) {
  const path = join(folder, `pairs-${count}.csv`)
  const id = (n, fill) => n.toString(16).padStart(24, fill)
  const lines = Array.from({ length: count }, (_, n) => `${id(n * 7919 + 1, '0')},${id(n * 7919 + 2, 'a')}`)
  writeFileSync(path, `source,target\n${lines.join('\n')}\n`)
  return path
}

export async function large() {
  const { env } = await serve(0, 1, 1, ['missing'])
  const ids = idsFile(1_000_000)
  const missing = ['contacts', 'delete', '--file', ids, '--yes', '--concurrency', '8', '-o']
  for (const format of ['table', 'json']) {
    const { memory, ms } = measured([...missing, format], { env, codes: [3], stdout: nowhere })
    report(`1,000,000 missing ids, ${format}: MB`, memory, '≤ 120', `${(ms / 1000).toFixed(1)} s`)
  }
  const plan = ['contacts', 'merge', '--file', pairsFile(300_000), '--dry-run', '--json']
  const { plans } = inTurn({ plans: () => measured(plan, { env, stdout: nowhere }) }, 3)
  report('300,000 pairs, plan only: MB', median(plans, 'memory'), '≤ 150')
  report('300,000 pairs, plan only: seconds', median(plans, 'ms') / 1000, '≤ 2.5')
}
