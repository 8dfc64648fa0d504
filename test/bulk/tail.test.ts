/** A damaged end of a run that has ended is told by everything that shows the run, in a note. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, fresh } = world

const damages: Readonly<Record<string, (journal: string) => string>> = {
  'its last line changed': (journal) => journal.replace('"t":"end"', '"t":"End"'),
  'half a line behind it': (journal) => `${journal}{"t":"tr`,
  'a line before it changed': (journal) => journal.replace('"k":"answered"', '"k":"Answered"'),
}

it.each(Object.entries(damages))('%s', async (_, damage) => {
  const state = world.state()
  const { summary } = await bulk(`contacts delete ${fresh(1)[0]} --yes ${state}`)
  const run = summary.run ?? ''
  const journal = join(state.replace('--state-dir ', ''), 'runs', run, 'journal.ndjson')
  writeFileSync(journal, damage(readFileSync(journal, 'utf8')))
  const note = `note: the end of the journal of run ${run} is damaged: its last `
  const told: Record<string, boolean> = {}
  for (const command of [
    `show ${run}`,
    'list',
    `export ${run}`,
    'export --operation contacts.delete',
  ]) {
    const { stderr } = await svc(`runs ${command} ${state}`)
    told[command.split(' ')[0] ?? ''] = stderr.includes(note)
  }
  expect(told).toEqual({ show: true, list: true, export: true })
})
