/** Laws of the JSON lines on stderr, beside their schema: during a run they are about it, and `retry` says of every ending whether the same command may be started again. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
type Line = Readonly<Record<string, unknown>>
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)

const id = '6400057ed5aad2927b000026'
const [first, second] = [file('first.txt', fresh(4)), file('second.txt', fresh(4))]
const bulk = `contacts delete --yes --json --retries 0 -v --progress json --concurrency 1 ${world.state()}`

interface Case {
  readonly line: string
  readonly code: number
  readonly retry: boolean
  readonly faults?: string
  readonly env?: Readonly<Record<string, string>>
}

const nowhere = { SVC_BASE_URL: 'http://127.0.0.1:1' }
const cases: Readonly<Record<string, Case>> = {
  'a usage error': { line: 'lists lst', code: 2, retry: false },
  'a run that is done': { line: `${bulk} --file ${first} --once done`, code: 0, retry: false },
  'a run with a name, the service being unwell': {
    line: `${bulk} --file ${second} --once unwell`,
    faults: 'contacts.delete:100%=503',
    code: 7,
    retry: true,
  },
  'a run without a name, the service being unwell': {
    line: `${bulk} --file ${second}`,
    faults: 'contacts.delete:100%=503',
    code: 7,
    retry: false,
  },
  'a read of a service that is unwell': {
    line: 'lists list',
    faults: 'lists.list:100%=503',
    code: 7,
    retry: true,
  },
  'a read of a service that is not there': {
    line: 'lists list',
    env: nowhere,
    code: 7,
    retry: true,
  },
  'a host name that nobody knows': {
    line: 'lists list',
    env: { SVC_BASE_URL: 'https://nowhere.invalid' },
    code: 7,
    retry: false,
  },
  'a run with a name, and a host name that nobody knows': {
    line: `${bulk} --file ${second} --once nowhere`,
    env: { SVC_BASE_URL: 'https://nowhere.invalid' },
    code: 7,
    retry: false,
  },
  'a change that is sent once and lost': {
    line: 'lists create --name x --allow-duplicate-name',
    faults: 'lists.create:100%=drop-after-apply',
    code: 0,
    retry: false,
  },
  'a merge that is sent once and lost': {
    line: `contacts merge ${id} --into 640005c8d5aad2927b000028 --yes`,
    faults: 'contacts.merge:100%=drop-before',
    code: 7,
    retry: false,
  },
  'a merge that the service does not take now': {
    line: `contacts merge ${id} --into 640005c8d5aad2927b000028 --yes`,
    faults: 'contacts.merge:100%=429',
    code: 7,
    retry: true,
  },
  'a merge that was never sent': {
    line: `contacts merge ${id} --into 640005c8d5aad2927b000028 --yes`,
    env: nowhere,
    code: 7,
    retry: true,
  },
  'a merge at a host name that nobody knows': {
    line: `contacts merge ${id} --into 640005c8d5aad2927b000028 --yes`,
    env: { SVC_BASE_URL: 'https://nowhere.invalid' },
    code: 7,
    retry: false,
  },
  'a change that was never sent': {
    line: 'lists update VIP --name y',
    env: nowhere,
    code: 7,
    retry: true,
  },
  'a key that may not': {
    line: 'lists create --name z',
    env: world.as('read'),
    code: 5,
    retry: false,
  },
  'no such list': { line: 'lists get nobody', code: 6, retry: false },
}

test.each(Object.entries(cases))('%s', async (_, { line, code, retry, faults = '', env = {} }) => {
  sandbox.setFaults(...(faults === '' ? [] : [faults]))
  const options = `--error-format json --retries 0 -v`
  const ended = await svc(
    `${line} ${line.includes('--retries') ? '--error-format json' : options}`,
    {
      env,
      fast: true,
    },
  )
  sandbox.setFaults()
  expect(ended).toMatchObject({ code })
  const lines = linesOf(ended.stderr)
  for (const each of lines) {
    // From the first request on it is about a run.
    const isOfRun = line.startsWith(bulk) && each['type'] !== 'note' && each['type'] !== 'error'
    expect(['run', 'name', 'profile', 'host'].filter((name) => isOfRun && !(name in each))).toEqual(
      [],
    )
  }
  const summaries = line.startsWith(bulk) ? [JSON.parse(ended.stdout) as Line] : []
  expect(summaries.map((summary) => summary['retry'])).toEqual(summaries.map(() => retry))
  for (const told of lines.filter(({ type }) => type === 'error')) {
    expect(told['retry']).toBe(retry)
    expect(told['error']).not.toHaveProperty('retry')
  }
  expect(code === 0 || lines.some(({ type }) => type === 'error') || line.startsWith(bulk)).toBe(
    true,
  )
})

test.each(['', '-o table', '-o csv', '-o ndjson', '-q', '-q -o table', '--json --fields run'])(
  'the last line of a log is the summary of its run: %s',
  async (format) => {
    const ids = file(`last-${format.replaceAll(' ', '-')}.txt`, fresh(2))
    const line = `contacts delete --file ${ids} --yes --error-format json ${format}`
    const { code, stderr } = await svc(line)
    const summaries = linesOf(stderr).filter(({ type }) => type === 'summary')
    expect([code, summaries]).toEqual([0, [linesOf(stderr).at(-1)]])
    expect(linesOf(stderr).at(-1)).toMatchObject({
      schema: 'svc.bulk/1',
      exitCode: 0,
      retry: false,
    })
  },
)

test('stdout that is the summary says it alone', async () => {
  const ids = file('alone.txt', fresh(2))
  const { stdout, stderr } = await svc(`contacts delete --file ${ids} --yes --json`)
  expect(JSON.parse(stdout)).toMatchObject({ schema: 'svc.bulk/1' })
  expect(linesOf(stderr).filter(({ type }) => type === 'summary')).toEqual([])
})

test('a command to go on keeps the state folder, the profile and the file of this command line', async () => {
  sandbox.setFaults('contacts.delete:100%=503')
  const state = world.state()
  const line = `contacts delete --file ${file('third.txt', fresh(2))} --yes --retries 0 ${state}`
  const { stderr } = await svc(line, { fast: true })
  sandbox.setFaults()
  const command = /^ *svc (runs resume .*)$/m.exec(stderr)?.[1] ?? ''
  expect(command).toMatch(new RegExp(`^runs resume \\S+ ${state}$`))
  // As it stands.
  expect(await svc(`${command} --yes`)).toMatchObject({ code: 0 })
  const { stdout } = await svc(`runs show --last --json ${state}`)
  expect(stdout).toContain('"exitCode": 0')
  const none = await svc(`runs show nothing ${state}`)
  expect(none.stderr).toBe(
    `error: there is no run "nothing" in ${state.replace('--state-dir ', '')}\n  see those that are there with: svc runs list ${state}\n`,
  )
  // Errors of a run too, in either form, and what is printed.
  sandbox.setFaults('contacts.delete:100%=401')
  for (const format of ['text', 'json']) {
    const quiet = await svc(
      `contacts delete --file ${file('fourth.txt', fresh(2))} --yes -q --error-format ${format} ${state}`,
    )
    expect(quiet.stderr).toContain(`svc profiles show ${state}`)
  }
  sandbox.setFaults()
  const assigned = await svc(
    `tickets assign ${sandbox.examples.tickets.active} --to ${sandbox.examples.employee} ${state}`,
  )
  expect(assigned.stdout).toMatch(new RegExp(`svc tickets assign .* ${state}\n$`))
})

test.each(['--once', '--reason', '--plan'])(
  'a secret that was typed as %s is refused, and no word of it is kept',
  async (option) => {
    const state = world.state()
    const secret = world.env['SVC_API_SECRET'] ?? ''
    const before = sandbox.requests.length
    const words =
      option === '--plan'
        ? `--reason ${secret} --plan ${join(world.folder, 'secret.plan')}`
        : `${option} ${secret}`
    const line = `contacts delete --file ${file('named.txt', fresh(1))} --yes ${words} ${state}`
    const { code, stderr } = await svc(line)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('the API secret is among the words of this command line'),
    ])
    expect(stderr).not.toContain(secret)
    expect(sandbox.requests.length).toBe(before)
    expect((await svc(`runs list ${state}`)).stderr).toContain('no recorded runs')
    expect(existsSync(join(world.folder, 'secret.plan'))).toBe(false)
  },
)
