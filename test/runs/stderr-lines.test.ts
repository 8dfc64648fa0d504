/** Laws of the JSON lines on stderr, beside their schema: during a run they are about it, and `retry` says of every ending whether the same command may be started again. What a command line has is kept where that helps, and no secret. */
import { expect, test } from 'vitest'
import { table } from '../table.ts'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
type Line = Readonly<Record<string, unknown>>
const linesOf = (text: string): Line[] =>
  Array.from(text.matchAll(/^\{.*$/gm), ([line]) => JSON.parse(line) as Line)

const id = '6400057ed5aad2927b000026'
const [first, second, third] = [1, 2, 3].map((n) => file(`ids-${n}.txt`, fresh(4)))
const bulk = `contacts delete --yes --json --retries 0 -v --progress json --concurrency 1 ${world.state()}`

const nowhere = { SVC_BASE_URL: 'http://127.0.0.1:1' }
const unknownHost = { SVC_BASE_URL: 'https://nowhere.invalid' }
const environments = { nowhere, unknownHost, reader: world.as('read'), '': {} }
/** A merge that nobody typed before. */
const merge = () => `contacts merge ${fresh(1).join('')} --into ${id} --yes`

/** Whether the same command may be started again, with its exit code, faults and environment. */
const cases = table(`
  a usage error                                    | lists lst                            | 2 | no  |
  a run that is done                               | ${bulk} --file ${first} --once done  | 0 | no  |
  a run with a name, the service being unwell      | ${bulk} --file ${second} --once ill  | 7 | yes | contacts.delete:100%=503
  a run without a name, the service being unwell   | ${bulk} --file ${third}              | 7 | yes | contacts.delete:100%=503
  a read of a service that is unwell               | lists list                           | 7 | yes | lists.list:100%=503
  a read of a service that is not there            | lists list                           | 7 | yes | | nowhere
  a read at an unknown host name                   | lists list                           | 7 | no  | | unknownHost
  a run with a name at an unknown host name        | ${bulk} --file ${second} --once far  | 7 | no  | | unknownHost
  a change that is sent once and lost              | lists create --name x                | 7 | no  | lists.create:100%=drop-after-apply
  a merge that is sent once and lost               | ${merge()}                           | 7 | no  | contacts.merge:100%=drop-before
  a merge that the service does not take now       | ${merge()}                           | 7 | yes | contacts.merge:100%=429
  a merge that was never sent                      | ${merge()}                           | 7 | yes | | nowhere
  a merge at an unknown host name                  | ${merge()}                           | 7 | no  | | unknownHost
  a change that was never sent                     | lists update VIP --name y            | 7 | yes | | nowhere
  a change with a key that may only read           | lists create --name z                | 5 | no  | | reader
  a list that does not exist                       | lists get nobody                     | 6 | no  |
`)

test.each(cases)('%s', async (_, line = '', code, again, faults = '', place = '') => {
  const options = line.includes('--retries') ? '' : '--retries 0 -v'
  const env = environments[place as keyof typeof environments]
  const ended = await svc(`${line} --error-format json ${options}`, {
    env,
    fast: true,
    ...(faults !== '' && { faults }),
  })
  expect(ended).toMatchObject({ code: Number(code) })
  const lines = linesOf(ended.stderr)
  const isBulk = line.startsWith(bulk)
  for (const each of lines) {
    // From the first request on it is about a run.
    const isOfRun = isBulk && each['type'] !== 'note' && each['type'] !== 'error'
    const missing = ['run', 'name', 'profile', 'host'].filter((name) => !(name in each))
    expect(isOfRun ? missing : []).toEqual([])
  }
  if (isBulk) lines.push(JSON.parse(ended.stdout) as Line)
  const endings = lines.filter(({ type, schema }) => type === 'error' || schema !== undefined)
  for (const ending of endings) expect(ending).toHaveProperty('retry', again === 'yes')
  expect(endings.length > 0).toBe(ended.code !== 0 || isBulk)
  for (const { error = {} } of endings) expect(error).not.toHaveProperty('retry')
  const errors = endings.filter(({ type }) => type === 'error')
  for (const { error, run = null } of errors) expect(error).toHaveProperty('run', run)
})

test.each([
  ['', 1],
  ['-o table', 1],
  ['-o csv', 1],
  ['-o ndjson', 1],
  ['-q', 1],
  ['-q -o table', 1],
  ['--json --fields run', 1],
  // Stdout says it.
  ['--json', 0],
])('the last line of a log is the summary of its run: %s: %i', async (format, count) => {
  const ids = file('last.txt', fresh(2))
  const line = `contacts delete --file ${ids} --yes --error-format json ${format}`
  const { code, stderr } = await svc(line)
  const lines = linesOf(stderr)
  const summaries = lines.filter(({ type }) => type === 'summary')
  expect([code, summaries]).toEqual([0, count === 0 ? [] : lines.slice(-1)])
  for (const each of summaries)
    expect(each).toMatchObject({ schema: 'svc.bulk/1', exitCode: 0, retry: false })
})

test('a log, which is stderr in a file, tells which batches were sent when, by whom, how often, and what the service said', async () => {
  const line = `contacts delete --file ${file('ids.txt', fresh(6))} --yes batches-of=2 --concurrency 1 ${world.state()}`
  // The second batch is throttled, and the third loses its first answer.
  const { code, stderr } = await svc(
    `${line} --once night -v --error-format json --progress plain`,
    { fast: true, faults: 'contacts.delete:2=429 contacts.delete:4=drop-after-apply' },
  )
  expect(code).toBe(0)
  const lines = linesOf(stderr)
  const { host } = new URL(sandbox.baseUrl)
  for (const each of lines) {
    expect(each).toMatchObject({ run: 'night', name: 'night', profile: null, host })
    expect(each).toMatchObject({ by: expect.stringContaining('@') as string })
    expect(each['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  }
  const of = (type: string) => lines.filter((each) => each['type'] === type)
  expect(of('request')).toMatchObject([
    { batch: 1, attempt: 1, httpStatus: 200, outcome: 'answered' },
    { batch: 2, attempt: 1, httpStatus: 429, outcome: 'refused' },
    { batch: 2, attempt: 2, httpStatus: 200, outcome: 'answered' },
    { batch: 3, attempt: 1, httpStatus: null, outcome: 'ambiguous' },
    { batch: 3, attempt: 2, httpStatus: 200, outcome: 'answered' },
  ])
  // The service's own record has the request under the same number.
  for (const { requestId, httpStatus: status } of of('request')) {
    const n = Number(/^sandbox-(\d+)$/.exec(String(requestId))?.[1])
    const entry = sandbox.record.entries.find((each) => each.n === n)
    expect(status === null ? requestId : entry?.status).toBe(status ?? undefined)
  }
  const waits = of('note').filter(({ message }) => /^waiting .* attempt 2/.test(String(message)))
  expect(waits).toMatchObject([2, 3].map((batch) => ({ batch, attempt: 1 })))
  expect(of('progress').at(-1)).toMatchObject({ done: 6, total: 6 })
})

test('a command to go on keeps the state folder, the profile and the file of this command line', async () => {
  const state = world.state()
  const line = `contacts delete --file ${file('third.txt', fresh(2))} --yes --retries 0 ${state}`
  const { stderr } = await svc(line, { faults: 'contacts.delete:100%=503', fast: true })
  const [, command = ''] = /^ *svc (runs resume .*)$/m.exec(stderr) ?? []
  expect(command).toMatch(new RegExp(`^runs resume \\S+ ${state}$`))
  // As it stands.
  expect(await svc(`${command} --yes`)).toMatchObject({ code: 0 })
  const none = await svc(`runs show nothing ${state}`)
  expect(none.stderr).toBe(
    `error: there is no run "nothing" in ${state.replace('--state-dir ', '')}\n  see all of them with: svc runs list ${state}\n`,
  )
  // Errors of a run too, in either form, and what is printed.
  for (const format of ['text', 'json']) {
    const more = `--yes -q --error-format ${format} ${state}`
    const quiet = await svc(`contacts delete --file ${file('fourth.txt', fresh(2))} ${more}`, {
      faults: 'contacts.delete:100%=401',
    })
    expect(quiet.stderr).toContain(`svc doctor ${state}`)
  }
  const assigned = await svc(
    `tickets assign ${sandbox.examples.tickets.active} --to ${sandbox.examples.employee} ${state}`,
  )
  expect(assigned.stdout).toMatch(new RegExp(`svc tickets assign .* ${state}\n$`))
})

test('every command of a pipeline in a message keeps the state folder of this command line', async () => {
  const state = world.state()
  const { code, stderr } = await svc(`contacts delete - --dry-run ${state}`, {
    isTerminal: { stdin: true },
  })
  expect(code).toBe(2)
  expect(stderr).toContain(`svc lists members <list> -o ids ${state} | svc contacts get - ${state}`)
})

test.each(['--once', '--reason'])(
  'a secret that was typed as %s is refused, and no word of it is kept',
  async (option) => {
    const state = world.state()
    const secret = world.env['SVC_API_SECRET'] ?? ''
    const words = `${option} ${secret}`
    const line = `contacts delete --file ${file('named.txt', fresh(1))} --yes ${words} ${state}`
    const stderr = await world.unsent(line, 2)
    expect(stderr).toContain('the API secret is on this command line')
    expect(stderr).not.toContain(secret)
    expect((await svc(`runs list ${state}`)).stderr).toContain('no recorded runs')
  },
)
