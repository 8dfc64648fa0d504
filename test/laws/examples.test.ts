/** Every example of every help text as it is, on a desk of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src/errors.ts'
import { topics } from '../../src/commands/help.ts'
import { startSvc } from '../support/spawned.ts'
import { openDesk, type Desk } from '../support/transcripts/desk.ts'
import { allPages } from '../support/tree.ts'
import { typing } from '../support/streams.ts'
import { bookOf, rowsOf, workbook } from '../support/workbooks.ts'
import type { Sandbox } from '../support/watched-sandbox.ts'

/** Whether the line is one command of svc and nothing that only a shell can do. */
const isPlain = (line: string): boolean => /^svc (?!sandbox )[^$~|><&;*]*$/.test(line)

/** A desk with the files, profiles and the run that an example names. */
async function newDesk(line: string): Promise<Desk> {
  const desk = await openDesk()
  const { sandbox, folder, env } = desk.world
  const { SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = env
  const profile = { baseUrl: sandbox.baseUrl, apiKey, apiSecret }
  const config = { current: 'staging', profiles: { staging: profile, prod: profile } }
  mkdirSync(join(folder, '.config/svc'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.config/svc/config.json'), JSON.stringify(config), { mode: 0o600 })
  for (const [name, content] of Object.entries(files(sandbox)))
    if (!line.includes(`--out ${name}`)) writeFileSync(join(folder, name), content)
  if (line.includes('runs ')) await recordRun(desk, line)
  return desk
}

function files({ keys, examples: { list, contactsWithoutChats, assignableTickets } }: Sandbox) {
  const ids = contactsWithoutChats.slice(0, 12)
  const lines = (values: readonly string[]): string => values.map((value) => `${value}\n`).join('')
  const matched = ids.slice(0, 2).map((id) => ['', '', id, 'decided', ''])
  const matchedTable = bookOf(['Name', 'Phone', 'contactId', 'MATCH', 'WHY'], ...matched)
  const pairs = ['source,target,merge', `${ids[0]},${ids[1]},yes`, `${ids[2]},${ids[3]},no`]
  return {
    'ids.txt': lines(ids),
    'vip.csv': lines(['id', ...ids.slice(0, 2)]),
    'export.csv': lines(['contact_id,name', ...ids.slice(3, 9).map((id) => `${id},"Name, x"`)]),
    'customers.xlsx': workbook({
      sheets: [
        { name: 'All', rows: rowsOf(['id'], ...ids.map((id) => [id])) },
        { name: 'To delete', rows: rowsOf(['id'], ...ids.slice(3, 6).map((id) => [id])) },
      ],
    }),
    'matched.xlsx': matchedTable,
    'matched-2.xlsx': matchedTable,
    'matched.csv': lines(['Phone,contactId', ...ids.slice(0, 2).map((id) => `,${id}`)]),
    'pairs.csv': lines(pairs),
    'pairs.xlsx': bookOf(...pairs.map((row) => row.split(','))),
    'tickets.txt': lines(assignableTickets.slice(0, 3)),
    'tickets.csv': lines(['ticketId', ...assignableTickets.slice(0, 3)]),
    'people.csv': lines(['Name,Phone', 'João Souza,+55 11 91234-5678']),
    'customers.csv': lines(['Customer,Tel', 'João Souza,+55 11 91234-5678']),
    'secret.txt': `${keys[0]?.apiSecret ?? ''}\n`,
    'nightly.sh': `svc lists get ${list} --json\n`,
  }
}

/** Records a run that a 401 stopped, with an id that got no answer; to be removed, it is done. */
async function recordRun(desk: Desk, line: string): Promise<void> {
  const isDone = line.includes('runs remove')
  const { sandbox } = desk.world
  if (!isDone) sandbox.setFaults('contacts.delete:1=500 contacts.delete:2=401')
  // The time in its name. Other examples are of the day after it.
  const before = desk.wait(0)
  desk.wait(Date.UTC(2026, 2, 1, 10, 14) - before)
  const { result } = await desk.svc(
    'BATCHES_OF=1 contacts delete --yes --file ids.txt --concurrency 1 --wait 0s',
  )
  desk.wait(before - desk.wait(0))
  sandbox.setFaults()
  expect([result.code, result.stderr]).toEqual([
    isDone ? 0 : 4,
    expect.stringContaining('-20260301-101500-3f9a'),
  ])
}

const ofHelp = allPages.flatMap((page) =>
  page.examples.map((line) => line.replaceAll(/\s*\\\n\s*/g, ' ')),
)
/** Whole lines of the topics; those with a word in <brackets> cannot be typed as they are. */
const ofTopics = Object.values(topics).flatMap((page) =>
  [...page.matchAll(/^```\w*\n([^]*?)^```/gm)].flatMap(([, code = '']) =>
    code.split('\n').filter((line) => /^svc (?!.*<\w+>)/.test(line)),
  ),
)
/** A noun's page may show what one of its verbs does. */
const examples = new Set([...ofHelp, ...ofTopics.map((line) => line.trim())])
const asks = /^svc runs (?:close|remove)/
const onTerminal = { ...typing('y'), env: { TERM: 'xterm' } }

/** Runs a command that does not end by itself, and ends it when it says that it listens. */
async function runUntilListening(line: string): Promise<void> {
  const running = startSvc(line.slice(4))
  let said = ''
  for (const stream of [running.stdout, running.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  // The usual port may be taken on a machine where somebody works.
  const how = line.includes('--port') ? /listens on|"baseUrl"/ : /listens on|"baseUrl"|in use/
  await expect.poll(() => said).toMatch(how)
  running.kill('SIGTERM')
  const { signal } = await running.ended
  expect(said.includes('in use') ? 'SIGTERM' : signal).toBe('SIGTERM')
}

/** Most end with 0: a run is shown with its own code, and contacts on no list are 3. */
function exitOf(line: string): number {
  if (line.includes('runs show')) return exitCodes.denied
  // Nobody on VIP is in the table.
  if (line.includes('get --file matched') || /match .*--in VIP/.test(line)) return 3
  return 0
}

test.each([...examples])('%s', async (line) => {
  if (line.includes('sandbox start')) return runUntilListening(line)
  const desk = await newDesk(line)
  const { code, stdout, stderr } = isPlain(line)
    ? (await desk.svc(line.slice(4), asks.test(line) ? onTerminal : {})).result
    : await desk.sh(`export SHELL=/bin/bash; ${line}`)
  const expected = exitOf(line)
  expect({ code, stderr: code === expected ? '' : stderr + stdout }).toEqual({
    code: expected,
    stderr: '',
  })
  // A run that is shown has its own errors.
  expect(line.includes('runs show') ? '' : stderr).not.toMatch(/^error/m)
})

test('every verb has two examples or three, and each noun has one at least', () => {
  const [, ...pages] = allPages
  const wrong = pages.filter(
    ({ commands, examples: lines }) =>
      lines.length < (commands.length > 0 ? 1 : 2) || lines.length > 3,
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})
