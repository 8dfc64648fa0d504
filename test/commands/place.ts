/** Where examples run as they are: a home and a folder with the files that they name, and the run that they name recorded. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import type { Page } from '../tree.ts'
import { rowsOf, workbook } from '../input/workbooks.ts'
import { atEnd } from '../ending.ts'
import { writeSvc } from '../programs.ts'
import { listsOfExamples, startSandbox, type Sandbox } from '../sandbox/watched.ts'
import { wordsOf, type Options, type Result, type World } from '../svc.ts'

/** The schema of a verb's JSON; undefined for a verb without JSON. */
export async function schemaOf({ command }: Page) {
  return command?.shows.schema?.()
}

/** Whether the line is one command of svc and nothing that only a shell can do. */
export const isPlain = (line: string): boolean => /^svc (?!sandbox )[^$~|><&;*]*$/.test(line)

/** A verb's example without its format. */
export const withoutFormat = (line: string): string =>
  line.replace(/^svc /, '').replace(/ (?:-o \w+|--json)\b/g, '')

/** A world, with the sandbox that it was made for, in which one example runs. */
export interface Tried extends Place {
  readonly sandbox: Sandbox
  /** `more`: added to the environment. */
  svc(line: string, more?: NodeJS.ProcessEnv): Promise<Result>
  close(): Promise<void>
}

const isFile = (word: string) => /^[\w-]+\.(?:txt|csv|xlsx|json|ndjson|html|prom|plan)$/.test(word)

/** Commands that change the service or name a run. */
const changes = Object.entries(operations).flatMap(([name, { retry }]) =>
  retry === 'read' ? [] : [name],
)
const changing = new RegExp(
  `\\b(?:runs|plans|${changes.map((name) => name.replace('.', ' ')).join('|')}|api lists -f)\\b`,
)

let reading: Promise<Sandbox> | undefined

/** One for all lines of a test file that only read. */
function sandboxForReading(): Promise<Sandbox> {
  if (reading !== undefined) return reading
  const started = startSandbox({ contacts: 1200, shown: listsOfExamples })
  atEnd(async () => {
    reading = undefined
    const sandbox = await started
    await sandbox.close()
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })
  return (reading = started)
}

/**
 * A place for a line, with a sandbox of its own if it changes something; the run that examples of `runs` name is recorded there.
 */
export async function placeFor(line: string, world: World): Promise<Tried> {
  const clock: { now?: number } = {}
  const isOfRuns = line.includes('runs ')
  const isShared = !isOfRuns && !changing.test(line)
  const faults = isOfRuns ? { faults: 'lists.add-contacts:1=500 lists.add-contacts:2=401' } : {}
  const sandbox = isShared
    ? await sandboxForReading()
    : await startSandbox({
        contacts: 1200,
        shown: listsOfExamples,
        now: () => clock.now ?? Date.now(),
        ...faults,
      })
  const here = place(sandbox, world.folder)
  if (isOfRuns) await recordRun(here, { clock, world, line })
  // This process stays where it is: files are named whole.
  const matched = sandbox.examples.contactsWithoutChats
    .slice(0, 2)
    .map((id) => ['', id, 'one', 'phone'])
  if (line.includes('--file matched.xlsx'))
    writeFileSync(
      join(here.cwd, 'matched.xlsx'),
      workbook({
        sheets: [
          { name: 'People', rows: rowsOf(['Phone', 'contactId', 'MATCH', 'BY'], ...matched) },
        ],
      }),
    )
  const run = (words: readonly string[], options: Options): Promise<Result> =>
    world.svc(
      words.map((word) => (isFile(word) ? join(here.cwd, word) : word)),
      { ...here, ...options },
    )
  const svc: Tried['svc'] = (words, more) => run(wordsOf(words), { env: { ...here.env, ...more } })
  if (!isPlain(line))
    writeSvc(join(here.env['HOME'] ?? '', 'bin/svc'), ({ words, env, input }) =>
      run(words, { env, stdin: input }),
    )
  if (line.includes('plans ')) await svc('contacts delete --file ids.txt --plan old.plan')
  return { ...here, sandbox, svc, close: async () => (isShared ? undefined : sandbox.close()) }
}

/** The run that examples name began then, and its last four digits come from the random number. */
const recorded = {
  name: '20260301T101500Z-7f3a',
  startedAt: Date.parse('2026-03-01T10:15:00.100Z'),
  random: 0x7f3a / 0x10000,
}

export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

function place(sandbox: Sandbox, folder: string): Place {
  const home = mkdtempSync(join(folder, 'home-'))
  const [cwd, bin, config] = ['work', 'bin', '.config/svc'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [cwd, bin, config]) mkdirSync(path, { recursive: true, mode: 0o700 })
  const [key] = sandbox.keys
  const profile = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret }
  const content = { current: 'staging', profiles: { staging: profile, prod: profile } }
  writeFileSync(join(config, 'config.json'), JSON.stringify(content), { mode: 0o600 })
  for (const [name, text] of Object.entries(files(sandbox))) writeFileSync(join(cwd, name), text)
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    SHELL: '/bin/bash',
    TZ: 'UTC',
    SVC_BASE_URL: sandbox.baseUrl,
    SVC_API_KEY: key?.apiKey,
    SVC_API_SECRET: key?.apiSecret,
    SVC_STATE_DIR: join(home, 'state'),
  }
  return { cwd, env }
}

function files({ keys, examples: { list, contactsWithoutChats, assignableTickets } }: Sandbox) {
  const ids = contactsWithoutChats.slice(0, 12)
  const lines = (values: readonly string[]): string => values.map((value) => `${value}\n`).join('')
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
      'source,target,DECISION',
      `${ids[0]},${ids[1]},merge`,
      `${ids[2]},${ids[3]},`,
    ]),
    'secret.txt': `${keys[0]?.apiSecret ?? ''}\n`,
    'nightly.sh': `svc lists get ${list} --json\n`,
  }
}

/** Records the run, which a 401 stopped: one id is unknown, one was refused, the others were not attempted. To undo: one of assigns. */
async function recordRun(
  { cwd, env }: Place,
  { clock, world, line }: { clock: { now?: number }; world: World; line: string },
): Promise<void> {
  // A run is named by the second it begins in, and only its first requests fail: the clock stands still for it.
  clock.now = recorded.startedAt
  const add = `lists add-contacts VIP --file ${join(cwd, 'ids.txt')} batches-of=1 --concurrency 1 --retries 0`
  const isAssign = line.includes('runs undo')
  // An example may call it by the name of its job.
  const name = /runs prune (?<name>[a-z]\S*)/.exec(line)?.groups?.['name']
  const words = isAssign
    ? `tickets assign --file ${join(cwd, 'changes.csv')}`
    : `${add}${name === undefined ? '' : ` --once ${name}`}`
  const { code, stderr } = await world.svc(words, {
    env,
    now: clock.now,
    random: () => recorded.random,
  })
  delete clock.now
  expect([code > 0, stderr.includes(name ?? recorded.name)]).toEqual([!isAssign, true])
}
