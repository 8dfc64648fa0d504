import { existsSync, readFileSync, statSync, symlinkSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { callOf } from '../../src/program/call.ts'
import { readCommandLine } from '../../src/program/command-line.ts'
import { program } from '../tree.ts'
import { SvcError } from '../../src/errors.ts'
import type { Terminal } from '../../src/host.ts'
import type { Format } from '../../src/output/result.ts'
import { print } from '../../src/output/render.ts'
import { StreamSink } from '../../src/output/sink.ts'
import type { Question } from '../../src/output/questions/prompt.ts'
import type { Profile } from '../../src/config/profile.ts'
import type { TypedSettings } from '../../src/config/settings.ts'
import type { Invoke, Context } from '../../src/cli/verb.ts'
import { twoProfiles, world, type World } from '../config/world.ts'

interface Result {
  readonly stdout: string
  /** Notes, warnings, and the error's message and hint. */
  readonly stderr: string
  readonly code: number
  /** The profiles that were tried against the service. */
  readonly checked: Profile[]
  /** What was asked; the answer is always yes. */
  readonly asked: string[]
}

interface Given {
  readonly options?: TypedSettings
  /** What the check against the service ends in; without it the credentials are accepted. */
  readonly failure?: Error
}

/** Runs one command of the noun against a pretended service. Words are split at blanks; quotes keep them together. */
async function svc(line: string, where: World, { options = {}, failure }: Given = {}): Promise<Result> {
  const stdout = new PassThrough()
  const stderr: string[] = []
  const checked: Profile[] = []
  const asked: string[] = []
  let code = 0
  const context = {
    host: where.host,
    options,
    print: { format: options.json === true ? 'json' : 'table' },
    signal: new AbortController().signal,
    confirm: (question: Question) => {
      asked.push(question.message)
      return Promise.resolve()
    },
    note: (text: string) => stderr.push(`note: ${text}`),
    warn: (text: string) => stderr.push(`warning: ${text}`),
    async open(profile: Profile) {
      checked.push(profile)
      await profile.secret()
      return {
        send: () => (failure === undefined ? Promise.resolve({}) : Promise.reject(failure)),
        close: () => undefined,
      }
    },
  } as unknown as Context
  const run: Invoke =
    (view, action) =>
    async (...args) => {
      const output = await action(context, ...args)
      const format: Format = options.json === true ? 'json' : (view.defaultFormat ?? 'table')
      if (output.kind === 'bulk') throw new Error('no profile command is a bulk run')
      code = await print(
        output,
        view,
        {
          format,
          fields: undefined,
          shown: [],
          rowLimit: Infinity,
          order: undefined,
          header: true,
          csvRaw: false,
          truncate: false,
          utc: true,
          color: 0,
          width: undefined,
          now: 0,
        },
        {
          host: where.host,
          sink: new StreamSink(where.host, stdout),
          note: (text) => stderr.push(`note: ${text}`),
          summary: () => undefined,
        },
      )
    }
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  try {
    const typed = ['profiles', ...words]
    const call = await callOf(await readCommandLine(program, typed))
    await call?.command.attach(run).call(...call.arguments, call.options)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    code = error.exitCode
    stderr.push(`error: ${error.message}`)
    if (error.details.hint !== undefined) stderr.push(error.details.hint)
  }
  stdout.end()
  const chunks: Buffer[] = []
  for await (const chunk of stdout as AsyncIterable<Buffer>) chunks.push(chunk)
  return { stdout: Buffer.concat(chunks).toString(), stderr: stderr.join('\n'), code, checked, asked }
}

/** Somebody at a terminal who types each answer, and the return key, once its question is on the screen. */
function typist(answers: [question: string, answer: string][]): { terminal: Terminal; seen: () => string } {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  let from = 0
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    const [question, answer] = answers[0] ?? []
    if (question === undefined || answer === undefined || !screen.slice(from).includes(question)) return
    answers.shift()
    from = screen.length
    setTimeout(() => input.write(`${answer}\r`), 20)
  })
  return { terminal: { input, output, columns: 80, close: () => input.end() }, seen: () => screen }
}

function fileOf({ config }: World): unknown {
  return JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'))
}

const added = 'add ci --url https://api.example.com/ --key pk_live_a1b2'

describe('profiles add', () => {
  it('saves a first profile for nobody else, tries it, and makes it current', async () => {
    const where = world({ stdin: 's3cret-01\n' })
    const { code, stdout, stderr, checked } = await svc(`${added} --secret-stdin`, where)
    expect(code).toBe(0)
    expect(fileOf(where)).toEqual({
      current: 'ci',
      profiles: { ci: { baseUrl: 'https://api.example.com', apiKey: 'pk_live_a1b2', apiSecret: 's3cret-01' } },
    })
    expect(statSync(join(where.config, 'config.json')).mode & 0o777).toBe(0o600)
    expect(checked.map(({ name, baseUrl }) => [name, baseUrl])).toEqual([['ci', 'https://api.example.com']])
    expect(stderr).toBe('note: the service accepts these credentials; try:\n  svc lists list')
    expect(stdout).toContain('passed')
    expect(stdout + stderr).not.toContain('s3cret')
    expect(stdout).not.toContain('pk_live')
  })

  it('saves what could not be tried, with a warning and the exit code of that', async () => {
    const where = world({ stdin: 's3cret-01' })
    const failure = new SvcError('auth', 'Invalid API credentials')
    const { code, stdout, stderr } = await svc(`${added} --secret-stdin`, where, { failure })
    expect(code).toBe(4)
    expect(stderr).toBe(
      'warning: the profile is saved, but a request with it failed: Invalid API credentials\n  see what is wrong: svc doctor',
    )
    expect(stdout).toContain('failed')
    expect(fileOf(where)).toMatchObject({ current: 'ci' })
    const unreachable = { failure: new SvcError('unavailable', 'refused') }
    const again = await svc('add ci --replace', where, unreachable)
    expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('see what is wrong: svc doctor')])
  })

  it.each([
    ['', 's3cret-01'],
    [' s3cret-02 ', 's3cret-02'],
  ])('asks with --replace on a terminal for the secret alone: %j leaves %s', async (answer, apiSecret) => {
    const where = world({ stdin: 's3cret-01' })
    await svc(`${added} --secret-stdin --no-check`, where)
    const { terminal, seen } = typist([['API secret (Enter keeps', answer]])
    const host = { ...where.host, terminal: () => terminal }
    expect((await svc('add ci --replace --protected --no-check', { ...where, host })).code).toBe(0)
    expect(fileOf(where)).toMatchObject({ profiles: { ci: { apiKey: 'pk_live_a1b2', apiSecret, protected: true } } })
    expect(seen()).not.toContain('s3cret')
    const other = await svc('add ci --replace --secret-env X --no-check', { ...where, host: where.host })
    expect(other.code).toBe(0)
  })

  it('leaves the current profile and everything else alone', async () => {
    const where = world({ stdin: 's3cret-01' })
    where.write('config.json', { defaults: { output: 'csv' }, ...twoProfiles })
    await svc(`${added} --secret-stdin --no-check`, where)
    expect(fileOf(where)).toEqual({
      defaults: { output: 'csv' },
      current: 'staging',
      profiles: {
        ...twoProfiles.profiles,
        ci: { baseUrl: 'https://api.example.com', apiKey: 'pk_live_a1b2', apiSecret: 's3cret-01' },
      },
    })
  })

  it('keeps with --replace what is not given', async () => {
    const where = world()
    where.write('config.json', twoProfiles)
    expect(await svc('add staging --replace --key pk_new --no-check', where)).toMatchObject({ code: 0, stderr: '' })
    expect(fileOf(where)).toEqual({
      ...twoProfiles,
      profiles: { ...twoProfiles.profiles, staging: { ...twoProfiles.profiles.staging, apiKey: 'pk_new' } },
    })
    const { apiSecret: _, ...rest } = twoProfiles.profiles.staging
    expect((await svc('add staging --replace --secret-env NEW --no-check', where)).code).toBe(0)
    expect(fileOf(where)).toMatchObject({ profiles: { staging: { secretEnv: 'NEW' } } })
    expect((fileOf(where) as typeof twoProfiles).profiles.staging).toEqual({
      ...rest,
      apiKey: 'pk_new',
      secretEnv: 'NEW',
    })
  })

  it('writes the file that --config names, which need not be there', async () => {
    const where = world()
    expect((await svc(`${added} --secret-env X --no-check`, where, { options: { config: 'new/svc.json' } })).code).toBe(
      0,
    )
    expect(existsSync(join(where.project, 'new', 'svc.json'))).toBe(true)
    expect(existsSync(where.config)).toBe(false)
  })

  it('asks for what is missing, and shows no secret while it is typed', async () => {
    const where = world()
    const { terminal, seen } = typist([
      ['Base URL', 'http://api.example.com'],
      ['only allowed to 127.0.0.0/8', '\u0015https://api.example.com'],
      ['API key', 'pk_live_a1b2 '],
      ['API secret', ' s3cret-typed '],
    ])
    const host = { ...where.host, terminal: () => terminal }
    const { code, stdout, stderr } = await svc('add ci --no-check', { ...where, host })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(fileOf(where)).toMatchObject({
      profiles: { ci: { baseUrl: 'https://api.example.com', apiKey: 'pk_live_a1b2', apiSecret: 's3cret-typed' } },
    })
    expect(seen() + stdout).not.toContain('s3cret')
  })

  it('refuses a broken file, and a link, before anything is read', async () => {
    const broken = world()
    broken.write('config.json', '{')
    expect((await svc(`${added} --secret-stdin`, broken)).stderr).toContain('malformed JSON')
    const linked = world()
    mkdirSync(linked.config, { recursive: true })
    symlinkSync('/nowhere', join(linked.config, 'config.json'))
    expect((await svc(`${added} --secret-stdin`, linked)).stderr).toContain('is a symbolic link')
  })
})
