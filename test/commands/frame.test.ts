/** What holds for every command: formats, fields, notes, errors, verbosity, credentials. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, as, folder } = await createSandboxWorld()
const { list, contactsHostile } = sandbox.examples
const json = (text: string): unknown => JSON.parse(text)
const nobody = { SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined }

describe('the command line', () => {
  test.each([
    ['lists list -ojson', /^error: unknown option "-ojson"\n/],
    [
      'lists list -o yaml',
      /^error: -o takes table, json, ndjson, csv, tsv, xlsx, ids, transcript or html, not "yaml"\n/,
    ],
    ['lists list --json -o csv', /^error: --json and -o csv contradict each other\n/],
    ['lists list -q -v', /^error: -q and -v contradict each other\n/],
    ['lists list -o ids --fields id', /^error: --fields does not go with -o ids\n/],
    ['lists list --fields ""', /^error: --fields names no field\n/],
  ])('svc %s', async (line, message) => {
    const { code, stdout, stderr } = await svc(line)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })

  test('options can be anywhere', async () => {
    const { stdout } = await svc('lists list --limit 1 -o ids')
    for (const line of [
      '-o ids lists list --limit 1',
      'lists -o ids list --limit 1',
      '-q lists --output ids list --limit=1',
    ]) {
      expect([line, (await svc(line)).stdout]).toEqual([line, stdout])
    }
  })
})

describe('formats', () => {
  test('SVC_OUTPUT is a wish: a command that lacks the format uses its own; -o is an order', async () => {
    const table = (await svc('lists get VIP')).stdout
    expect((await svc('lists get VIP', { env: { SVC_OUTPUT: 'transcript' } })).stdout).toBe(table)
    expect(json((await svc('lists get VIP', { env: { SVC_OUTPUT: 'json' } })).stdout)).toMatchObject({ id: list })
    expect((await svc('lists get VIP -o table', { env: { SVC_OUTPUT: 'json' } })).stdout).toBe(table)
    expect(await svc('lists get VIP -o transcript')).toMatchObject({ code: 2, stdout: '' })
    expect(await svc('lists get VIP -o html')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: this command has no format "html"\n {2}it has: table, json, ndjson, csv, tsv, xlsx, ids\n/,
      ) as string,
    })
    expect((await svc('lists get VIP', { env: { SVC_OUTPUT: 'yaml' } })).code).toBe(2)
  })

  test('of one thing too: json, ndjson, csv, tsv, ids', async () => {
    expect((await svc('lists get VIP -o ndjson')).stdout).toMatch(/^\{"id":"[^\n]*\}\n$/)
    expect((await svc('lists get VIP -o csv --fields id,name')).stdout).toBe(`id,name\n${list},VIP\n`)
    expect((await svc('lists get VIP -o tsv --fields name,contactsCount --no-header')).stdout).toBe('VIP\t280\n')
    expect((await svc('lists get VIP -o ids')).stdout).toBe(`${list}\n`)
  })

  test('csv guards cells that a spreadsheet would run, unless raw', async () => {
    const line = 'lists get =1+1 -o csv --no-header --fields name,description'
    expect((await svc(line)).stdout).toBe(`"'=1+1","'=cmd|' /C calc'!A0"\n`)
    expect((await svc(`${line} --csv-raw`)).stdout).toBe(`"=1+1","=cmd|' /C calc'!A0"\n`)
  })

  test('-q silences notes, not errors', async () => {
    expect((await svc('lists list -q')).stderr).toBe('')
    expect((await svc('lists get nobody -q')).stderr).toMatch(/^error: no list is called "nobody"\n/)
  })

  test('notes are JSON lines when errors are', async () => {
    expect(json((await svc('lists list --error-format json')).stderr)).toEqual({
      type: 'note',
      time: expect.any(String) as string,
      level: 'info',
      message: 'Showing 50 of 300 lists. Use --limit all for all of them.',
    })
    expect((await svc('lists list --error-format text')).stderr).toBe(
      'note: Showing 50 of 300 lists. Use --limit all for all of them.\n',
    )
    expect((await svc('lists get nobody -o ndjson')).stderr).toMatch(
      /^\{"type":"error","time":"[^"]+","level":"error","error":\{"category":"rejected",/,
    )
    expect((await svc('lists get nobody', { env: { SVC_OUTPUT: 'json' } })).stderr).toMatch(/^\{"type":"error"/)
  })

  test('times: local with their offset, or UTC; JSON has the service’s own', async () => {
    const times = async (options: string): Promise<string> =>
      (await svc(`lists get VIP --fields createdAt ${options}`)).stdout
    expect(await times('')).toMatch(/^CREATED +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00\n$/)
    expect(await times('--utc')).toMatch(/^CREATED +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/)
    expect(json(await times('--json'))).toEqual({
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    })
  })

  test('a terminal has colour, relative times and cut cells; NO_COLOR and --no-truncate take them away', async () => {
    const terminal = { isTerminal: { stdout: true }, columns: 80 } as const
    const plain = await svc('lists list --limit 60', { ...terminal, env: { NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain('\u001b')
    for (const line of plain.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(plain.stdout).toMatch(/ ago /)
    expect((await svc('lists list --limit 1', terminal)).stdout).toContain('\u001b[')
    expect((await svc('lists list --limit 1 --color never', terminal)).stdout).not.toContain('\u001b')
    expect((await svc('lists list --limit 1 --color always')).stdout).toContain('\u001b[')
    const whole = await svc('lists list --limit 1 --no-truncate --color never', terminal)
    expect(whole.stdout).toContain('The newer of two lists with the same name')
    expect(whole.stdout).not.toContain(' ago')
  })
})

describe('hostile text', () => {
  test.each(['table', 'csv', 'tsv', 'ndjson', 'json'])('commands nothing in %s', async (format) => {
    for (const line of [
      'lists list --limit all',
      'lists members "Hostile names"',
      'employees list --limit all',
      `tickets history ${sandbox.examples.tickets.hostile}`,
    ]) {
      const { code, stdout } = await svc(`${line} -o ${format}`)
      expect(code).toBe(0)
      // Tabs part the cells of tsv, and csv keeps line breaks inside its quotes.
      const allowed = format === 'tsv' ? '\t\n' : format === 'csv' ? '\r\n' : '\n'
      expect(
        Array.from(stdout).filter((each) => /\p{Cc}|\p{Bidi_Control}/u.test(each) && !allowed.includes(each)),
      ).toEqual([])
    }
  })

  test('a name that is typed, and one that comes back in an error', async () => {
    const { stderr } = await svc(['lists', 'get', 'no\u001b[31m\nerror: faked\u202e'])
    expect(stderr).not.toContain('\u001b')
    expect(stderr).not.toContain('\u202e')
    expect(stderr).not.toContain('\nerror: faked')
  })

  test('json keeps every value exactly, but for halves of a character', async () => {
    const { stdout } = await svc('lists members "Hostile names" --json')
    const rows = json(stdout) as { contact: { id: string; firstName: string } }[]
    expect(rows).toHaveLength(contactsHostile.length)
    for (const { contact } of rows)
      expect(contact.firstName).toBe(Buffer.from(sandbox.store.contact(contact.id)?.firstName ?? '').toString())
  })
})

describe('-v', () => {
  test('a line a request on stderr; -vv has headers and bodies without what is secret', async () => {
    const { stderr } = await svc('lists list -v -o ids')
    expect(stderr).toMatch(/^(?:GET \/v1\/lists\?page=\d&limit=100 200 \d+ ms, attempt 1, request sandbox-\d+\n){3}$/)
    const more = (await svc('lists create --name Verbose -vv -o ids')).stderr
    expect(more).toMatch(
      /^GET \/v1\/lists\?page=1&limit=100 200 [^]*^POST \/v1\/lists 201 \d+ ms, attempt 1, request sandbox-\d+\n/m,
    )
    expect(more).toContain('> {"name":"Verbose","description":""}')
    expect(more).toContain('> X-Service-Signature: [hidden]')
    const key = sandbox.keys[0]
    expect(more).not.toContain(key?.apiKey)
    expect(more).not.toContain(key?.apiSecret)
    expect(more).not.toMatch(/[0-9a-f]{64}/)
  })
})

describe('credentials', () => {
  test('without any: exit 4 and both ways on', async () => {
    for (const line of [
      'lists list',
      'lists get VIP',
      'lists create --name x',
      'contacts merge 0123456789abcdef01234567 --into 1123456789abcdef01234567 --yes',
      'tickets get 0123456789abcdef01234567',
      'employees list',
      'api /v1/lists',
    ]) {
      const { code, stdout, stderr } = await svc(line, { env: nobody })
      expect([line, code, stdout]).toEqual([line, 4, ''])
      expect(stderr).toContain('svc sandbox exec -- svc ')
      expect(stderr).toContain('svc profiles add')
    }
  })

  test('a clock that is off: the hint says by how much, and the request is made with the service’s time', async () => {
    const { code, stderr } = await svc('lists get VIP', { clockOffset: -7 * 60_000 })
    expect(code).toBe(0)
    expect(stderr).toMatch(/this machine's clock is (?:6m59s|7m\d?s|7m0s) behind/)
    const days = await svc('lists get VIP', { clockOffset: 25 * 3_600_000 })
    expect(days.code).toBe(4)
    expect(days.stderr).toMatch(/clock is 1d1h ahead of the service/)
  })

  test('the profile’s name stands in the error', async () => {
    const config = join(folder, 'named.json')
    const [, read] = sandbox.keys
    const profile = { baseUrl: sandbox.baseUrl, apiKey: read?.apiKey, apiSecret: read?.apiSecret }
    writeFileSync(config, JSON.stringify({ current: 'reader', profiles: { reader: profile } }), { mode: 0o600 })
    const { code, stderr } = await svc('lists create --name x --json', { env: { ...nobody, SVC_CONFIG: config } })
    expect(code).toBe(5)
    expect(json(stderr)).toEqual({
      type: 'error',
      time: expect.any(String) as string,
      level: 'error',
      error: {
        category: 'forbidden',
        exitCode: 5,
        httpStatus: 403,
        code: 40361,
        message: 'API key scope is not sufficient',
        hint: expect.stringContaining('"read-write"') as string,
        request: { method: 'POST', path: '/v1/lists', attempts: 1, requestId: expect.stringMatching(/^sandbox-\d+$/) },
        profile: 'reader',
        run: null,
        retry: false,
      },
    })
  })
})

describe('a service that is not well', () => {
  test.each([
    ['500', 7, { category: 'unavailable', httpStatus: 500, code: 50001, request: { attempts: 3 } }],
    ['503(retry-after=0)', 7, { category: 'unavailable', httpStatus: 503, request: { attempts: 3 } }],
    ['429(retry-after=120)', 7, { category: 'unavailable', httpStatus: 429, request: { attempts: 1 } }],
    ['html', 7, { category: 'unavailable', hint: expect.stringContaining('proxy') as string }],
    ['redirect(http://127.0.0.1:1/)', 7, { category: 'unavailable', httpStatus: 307, request: { attempts: 1 } }],
    ['null', 7, { category: 'unavailable' }],
    ['number-ids', 7, { category: 'unavailable' }],
    ['gzip', 7, { category: 'unavailable' }],
    ['400(message=Nope)', 6, { category: 'rejected', message: 'Nope' }],
    ['418(body=empty)', 6, { category: 'rejected', httpStatus: 418 }],
  ])('%s', async (fault, code, error) => {
    sandbox.setFaults(`lists.list=${fault}`)
    const result = await svc('lists list --json --retries 2', { fast: true })
    sandbox.setFaults()
    expect([result.code, result.stdout]).toEqual([code, '[\n'])
    expect(json(result.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: { ...error, exitCode: code },
    })
  })

  test('nobody there', async () => {
    const { code, stdout, stderr } = await svc('lists list --retries 0', {
      env: { ...as('read'), SVC_BASE_URL: 'http://127.0.0.1:1' },
    })
    expect([code, stdout]).toEqual([7, '# incomplete: cannot reach 127.0.0.1:1: connection refused\n'])
    expect(stderr).toMatch(/^error: cannot reach 127\.0\.0\.1:1: connection refused\n/)
  })
})
