/** Where examples run as they are: a desk with the files and profiles that they name, and the run that they name recorded. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { rowsOf, workbook } from '../input/workbooks.ts'
import { listsOfExamples, type Sandbox } from '../sandbox/watched.ts'
import { openDesk, type Desk } from '../transcripts/desk.ts'

/** Whether the line is one command of svc and nothing that only a shell can do. */
export const isPlain = (line: string): boolean => /^svc (?!sandbox )[^$~|><&;*]*$/.test(line)

/** Of the run that examples name. */
export const exitOfRun = 4

export async function deskFor(line: string): Promise<Desk> {
  const isOfRuns = line.includes('runs ')
  const faults = ['contacts.delete', 'lists.add-contacts']
    .map((operation) => `${operation}:1=500 ${operation}:2=401`)
    .join(' ')
  const desk = await openDesk([], {
    shown: listsOfExamples,
    ...(isOfRuns && { faults }),
  })
  const { sandbox, folder, env } = desk.world
  const profile = {
    baseUrl: sandbox.baseUrl,
    apiKey: env['SVC_API_KEY'],
    apiSecret: env['SVC_API_SECRET'],
  }
  const config = { current: 'staging', profiles: { staging: profile, prod: profile } }
  mkdirSync(join(folder, '.config/svc'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.config/svc/config.json'), JSON.stringify(config), { mode: 0o600 })
  // What an example writes is not there before.
  for (const [name, content] of Object.entries(files(sandbox)))
    if (!new RegExp(`--(?:out|annotate) ${name}`).test(line))
      writeFileSync(join(folder, name), content)
  if (isOfRuns) await recordRun(desk, line)
  return desk
}

function files({ keys, examples: { list, contactsWithoutChats, assignableTickets } }: Sandbox) {
  const ids = contactsWithoutChats.slice(0, 12)
  const lines = (values: readonly string[]): string => values.map((value) => `${value}\n`).join('')
  const matched = ids.slice(0, 2).map((id) => ['', id, 'one', ''])
  return {
    'ids.txt': lines(ids),
    'keep.txt': lines(ids.slice(0, 2)),
    'export.csv': lines([
      'contact_id,name',
      ...ids.slice(3, 9).map((id, n) => `${id},"Name, ${n}"`),
    ]),
    'customers.xlsx': workbook({
      sheets: [
        { name: 'All', rows: rowsOf(['id'], ...ids.map((id) => [id])) },
        { name: 'To delete', rows: rowsOf(['id'], ...ids.slice(3, 6).map((id) => [id])) },
      ],
    }),
    'matched.xlsx': workbook({
      sheets: [{ rows: rowsOf(['Phone', 'contactId', 'MATCH', 'WHY'], ...matched) }],
    }),
    'pairs.csv': lines(['source,target', `${ids[0]},${ids[1]}`, `${ids[2]},${ids[3]}`]),
    'tickets.txt': lines(assignableTickets.slice(0, 3)),
    'changes.csv': lines([
      'ticket,employee',
      ...assignableTickets.slice(0, 3).map((id) => `${id},Robin Berg`),
    ]),
    'people.csv': lines([
      'Name,Phone,Email',
      'João Souza,+55 11 91234-5678,',
      'Noor Haddad,,noor.haddad@example.org',
    ]),
    'decided.csv': lines([
      'source,target,merge',
      `${ids[0]},${ids[1]},yes`,
      `${ids[2]},${ids[3]},`,
    ]),
    'secret.txt': `${keys[0]?.apiSecret ?? ''}\n`,
    'nightly.sh': `svc lists get ${list} --json\n`,
  }
}

/** Records the run, which a 401 stopped: one id is unknown, the others were not attempted. To undo: one of assigns, which is done. */
async function recordRun(desk: Desk, line: string): Promise<void> {
  const isAssign = line.includes('runs undo')
  // The newest run is one that needs no answer to resume.
  const isDelete = line.includes(' delete-')
  const operation = isDelete ? 'contacts delete --yes' : 'lists add-contacts VIP'
  // Examples are of the day after it.
  desk.wait(-24 * 3_600_000)
  const { result } = await desk.svc(
    isAssign
      ? 'tickets assign --file changes.csv'
      : `${operation} --file ids.txt batches-of=1 --concurrency 1 --wait 0s`,
  )
  desk.wait(24 * 3_600_000)
  expect([result.code, result.stderr]).toEqual([
    isAssign ? 0 : exitOfRun,
    expect.stringMatching(
      isAssign
        ? /^note: run assign-\S+: assign 3 tickets on .*\n$/
        : /svc runs resume (?:delete|add)-/,
    ),
  ])
  // The digits of a run depend on the port of the sandbox.
  const folder = join(desk.world.folder, '.local/state/svc/runs')
  const named = /runs \w+ (?<run>[a-z]\S*)/.exec(line)?.groups?.['run']
  const [recorded = ''] = readdirSync(folder)
  if (named !== undefined) renameSync(join(folder, recorded), join(folder, `${named}.ndjson`))
}
