/** Where examples run as they are: a desk with the files and profiles that they name, and the run that they name recorded. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { rowsOf, workbook } from './workbooks.ts'
import { verbs } from './tree.ts'
import type { Sandbox } from './watched-sandbox.ts'
import { openDesk, type Desk } from './transcripts/desk.ts'

/** Whether the line is one command of svc and nothing that only a shell can do. */
export const isPlain = (line: string): boolean => /^svc (?!sandbox )[^$~|><&;*]*$/.test(line)

/** Whether an example changes nothing but the file of its --out. */
const isRead = (line: string): boolean =>
  isPlain(line) &&
  (/--dry-run(?<!runs undo.*)/.test(line) ||
    verbs.some(({ path, command }) => command?.effect === 'reads' && line.startsWith(path)))

/** The desks of examples that read: without a run, and with one. */
const shared = new Map<boolean, Promise<Desk>>()

/** A desk with the files, profiles and the run that an example names. */
export async function deskFor(line: string): Promise<Desk> {
  if (!isRead(line)) return newDesk(line)
  const isOfRuns = line.includes('runs ')
  const known = shared.get(isOfRuns) ?? newDesk(line)
  shared.set(isOfRuns, known)
  const desk = await known
  putFiles(desk, line)
  return desk
}

async function newDesk(line: string): Promise<Desk> {
  const desk = await openDesk()
  const { sandbox, folder, env } = desk.world
  const profile = {
    baseUrl: sandbox.baseUrl,
    apiKey: env['SVC_API_KEY'],
    apiSecret: env['SVC_API_SECRET'],
  }
  const config = { current: 'staging', profiles: { staging: profile, prod: profile } }
  mkdirSync(join(folder, '.config/svc'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.config/svc/config.json'), JSON.stringify(config), { mode: 0o600 })
  putFiles(desk, line)
  if (line.includes('runs ')) await recordRun(desk, line)
  return desk
}

/** What an example writes is not there before. */
function putFiles({ world: { sandbox, folder } }: Desk, line: string): void {
  for (const [name, content] of Object.entries(files(sandbox)))
    writeFileSync(join(folder, name), content)
  const [, out = ''] = /--out (\S+)/.exec(line) ?? []
  rmSync(join(folder, out === '' ? 'none' : out), { force: true })
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
    'people.ndjson': lines(
      [{ phone: ['+55 11 91234-5678'] }, { email: ['noor.haddad@example.org'] }].map(
        (identities, n) => JSON.stringify({ id: ids[n], identities, lists: [] }),
      ),
    ),
    'decided.csv': lines([
      'source,target,merge',
      `${ids[0]},${ids[1]},yes`,
      `${ids[2]},${ids[3]},`,
    ]),
    'secret.txt': `${keys[0]?.apiSecret ?? ''}\n`,
    'nightly.sh': `svc lists get ${list} --json\n`,
  }
}

/** Records the run that a 401 stopped: one id is unknown, the others were not attempted. To be undone or removed, it is done. */
async function recordRun(desk: Desk, line: string): Promise<void> {
  const isDone = /runs (?:undo|remove)/.test(line)
  const { sandbox } = desk.world
  if (!isDone) sandbox.setFaults('contacts.delete:1=500 contacts.delete:2=401')
  // The time in its name. Other examples are of the day after it.
  const before = desk.wait(0)
  desk.wait(Date.UTC(2026, 2, 1, 10, 14) - before)
  const { result } = await desk.svc(
    line.includes('runs undo')
      ? 'tickets assign --file changes.csv'
      : 'BATCHES_OF=1 contacts delete --yes --file ids.txt --concurrency 1 --wait 0s',
  )
  desk.wait(before - desk.wait(0))
  sandbox.setFaults()
  const [run = ''] = readdirSync(join(desk.world.folder, '.local/state/svc/runs'))
  expect([result.code, run]).toEqual([
    isDone ? 0 : 4,
    expect.stringContaining('-20260301-101500-3f9a'),
  ])
}
