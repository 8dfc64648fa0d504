import { chmodSync, existsSync, readFileSync, readdirSync, statSync, symlinkSync, mkdirSync } from 'node:fs'
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
import { openSink } from '../../src/output/sink.ts'
import type { Question } from '../../src/output/questions/prompt.ts'
import type { Profile } from '../../src/config/profile.ts'
import type { TypedSettings } from '../../src/config/settings.ts'
import type { Run, Context } from '../../src/cli/verb.ts'
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
  const run: Run =
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
          sink: openSink(where.host, stdout),
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

  it('prints one document with --json', async () => {
    const where = world({ stdin: 's3cret-01' })
    const { stdout } = await svc(`${added} --secret-stdin --protected --no-check`, where, { options: { json: true } })
    expect(JSON.parse(stdout)).toEqual({
      name: 'ci',
      baseUrl: 'https://api.example.com',
      apiKey: '…a1b2',
      secret: `profiles.ci.apiSecret in ${join(where.config, 'config.json')}`,
      protected: true,
      current: true,
      file: join(where.config, 'config.json'),
      check: 'not made',
    })
  })

  it.each([
    ['--secret-env CI_SECRET', { secretEnv: 'CI_SECRET' }],
    ['--secret-file /run/secrets/ci', { secretFile: '/run/secrets/ci' }],
    ['--secret-file ~/ci', { secretFile: '~/ci' }],
    ['--secret-command "printf  %s   x"', { secretCommand: ['printf', '%s', 'x'] }],
  ])('%s keeps the secret elsewhere', async (option, secret) => {
    const where = world()
    expect((await svc(`${added} ${option} --no-check`, where)).code).toBe(0)
    expect(fileOf(where)).toMatchObject({ profiles: { ci: secret } })
  })

  it('keeps a secret file by its absolute name', async () => {
    const where = world()
    await svc(`${added} --secret-file ci.txt --no-check`, where)
    expect(fileOf(where)).toMatchObject({ profiles: { ci: { secretFile: join(where.project, 'ci.txt') } } })
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

  it('replaces only when told, and then keeps defaults and protection', async () => {
    const where = world()
    const prod = { ...twoProfiles.profiles.prod, defaults: { limit: 5 } }
    where.write('config.json', { ...twoProfiles, profiles: { ...twoProfiles.profiles, prod } })
    const line = 'add prod --url https://new.example.com --key pk_new --secret-env X --no-check'
    const refused = await svc(line, where)
    expect(refused).toMatchObject({
      code: 2,
      stderr: 'error: there is a profile "prod" already\nto change it: --replace',
    })
    expect((await svc(`${line} --replace`, where)).code).toBe(0)
    expect(fileOf(where)).toMatchObject({ current: 'staging' })
    expect((fileOf(where) as { profiles: Record<string, unknown> }).profiles.prod).toEqual({
      baseUrl: 'https://new.example.com',
      apiKey: 'pk_new',
      secretEnv: 'X',
      protected: true,
      defaults: { limit: 5 },
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

  it('says what to add to a YAML file, and leaves it', async () => {
    const where = world({ stdin: 's3cret-01' })
    const path = where.write('config.yaml', '# mine\nprofiles: {}\n')
    const { code, stderr } = await svc(`${added} --secret-env CI_SECRET --protected`, where)
    expect(code).toBe(2)
    expect(stderr).toBe(
      [
        `error: ${path} is not .json, and svc writes JSON only`,
        'add to it:',
        'profiles:',
        '  ci: {"baseUrl":"https://api.example.com/","apiKey":"pk_live_a1b2","secretEnv":"CI_SECRET","protected":true}',
      ].join('\n'),
    )
    expect(readFileSync(path, 'utf8')).toBe('# mine\nprofiles: {}\n')
    expect((await svc(`${added} --secret-stdin`, where)).stderr).not.toContain('s3cret')
  })

  it.each([
    ['add __proto__', 'error: "__proto__" cannot be the name of a profile'],
    ['add constructor', 'error: "constructor" cannot be the name of a profile'],
    ['add "a b"', 'error: "a b" cannot be the name of a profile'],
    ['add ci --url http://api.example.com', 'error: --url is not a usable base URL: http:// is only allowed'],
    ['add ci --url https://a.example --key "a b"', 'error: --key must be 1 to 1,024 visible characters'],
    ['add ci --secret-env X --secret-file y', 'error: --secret-env and --secret-file exclude each other'],
    ['add ci --secret-env hunter2-secret', 'error: --secret-env takes the name of an environment variable'],
    ['add ci --secret-command ""', 'error: --secret-command names no program that svc can run'],
    ['add ci --secret-command ./steal', 'error: --secret-command names no program that svc can run'],
    ['add ci --secret-command hunter2-secret', 'error: --secret-command names no program that svc can run'],
    ['add ci --secret-file ""', 'error: --secret-file needs the name of a file'],
    ['add ci', 'error: there is no terminal to ask on; missing: --url'],
    [
      'add ci --url https://a.example --key k',
      'missing: --secret-stdin, --secret-env, --secret-file or --secret-command',
    ],
    ['add ci --url https://a.example --secret-env X', 'error: there is no terminal to ask on; missing: --key'],
  ])('%s is exit 2 and writes nothing', async (line, message) => {
    const where = world()
    const { code, stderr, stdout } = await svc(line, where)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('hunter2')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
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

  it('asks nothing with --no-input', async () => {
    const where = world()
    const terminal = (): never => {
      throw new Error('a terminal was opened')
    }
    const { code, stderr } = await svc(
      'add ci --secret-env X',
      { ...where, host: { ...where.host, terminal } },
      { options: { input: false } },
    )
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: --no-input: svc does not ask; missing: --url',
    })
  })

  it.each([
    ['nothing', '', 'is empty'],
    ['two lines', 'a\nb', 'has more than one line'],
    ['a megabyte', 'x'.repeat(1024 * 1024), 'contains more than 4,096 characters'],
    ['fewer characters than can be hidden', 's3cret!\n', 'has fewer than 8 characters'],
  ])('refuses a secret of %s from standard input, with exit 4', async (_, stdin, problem) => {
    const where = world({ stdin })
    const { code, stderr } = await svc(`${added} --secret-stdin`, where)
    expect(code).toBe(4)
    expect(stderr).toContain(`error: the secret from standard input ${problem}`)
    expect(stderr).not.toContain('s3cret')
    expect(existsSync(where.config)).toBe(false)
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

describe('profiles list', () => {
  it('shows key endings and where secrets are', async () => {
    const where = world()
    const path = where.write('config.json', twoProfiles)
    const { stdout, code } = await svc('list', where, { options: { json: true } })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'prod',
        current: false,
        baseUrl: 'https://api.example.com',
        apiKey: '…a1b2',
        secret: `profiles.prod.apiSecret in ${path}`,
        protected: true,
      },
      {
        name: 'staging',
        current: true,
        baseUrl: 'https://staging.example.com/crm/',
        apiKey: '…c3d4',
        secret: `profiles.staging.apiSecret in ${path}`,
        protected: false,
      },
    ])
  })

  it('says how to add the first one', async () => {
    expect(await svc('list', world())).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'note: no profiles; add one with: svc profiles add <name>',
    })
  })
})

describe('profiles show', () => {
  it('gives each value its source, and the secret to nobody', async () => {
    const where = world({ env: { SVC_RETRIES: '5' } })
    const path = where.write('config.json', { ...twoProfiles, defaults: { limit: 10 } })
    const { stdout } = await svc('show', where, { options: { json: true } })
    expect(stdout).not.toContain('staging-secret')
    expect(JSON.parse(stdout)).toMatchObject({
      profile: { value: 'staging', source: `current in ${path}` },
      baseUrl: { value: 'https://staging.example.com/crm', source: path },
      apiKey: { value: '…c3d4', source: path },
      secret: { source: `profiles.staging.apiSecret in ${path}` },
      protected: { value: false },
      stateDir: { value: join(where.home, '.local/state/svc'), source: 'built-in' },
      settings: {
        retries: { value: 5, source: 'SVC_RETRIES' },
        limit: { value: 10, source: `defaults in ${path}` },
        timeout: { value: '30s', source: 'built-in' },
      },
    })
  })

  it('shows another one by its name', async () => {
    const where = world({
      env: { SVC_BASE_URL: 'https://x.example', SVC_API_KEY: '1234567', SVC_API_SECRET: 'hunter2' },
    })
    where.write('config.json', twoProfiles)
    const { stdout } = await svc('show prod', where)
    expect(stdout).toContain('https://api.example.com')
    expect(stdout).not.toContain('prod-secret')
    const here = await svc('show', where)
    expect(here.stdout).toContain('https://x.example')
    expect(here.stdout).not.toMatch(/hunter2|1234567|4567/)
  })

  it('is exit 4 for an unknown one, and without any', async () => {
    const where = world()
    expect(await svc('show', where)).toMatchObject({ code: 4, stdout: '' })
    where.write('config.json', twoProfiles)
    expect(await svc('show prdo', where)).toMatchObject({
      code: 4,
      stderr: 'error: there is no profile "prdo"\ndid you mean "prod"? profiles: prod, staging',
    })
  })
})

describe('profiles show, as a table', () => {
  it('writes ~ for the home folder, and the whole path in JSON', async () => {
    const where = world()
    const path = where.write('config.json', twoProfiles)
    const { stdout } = await svc('show', where)
    expect(stdout).toContain('current in ~/.config/svc/config.json')
    expect(stdout).toContain('~/.local/state/svc')
    expect(stdout).not.toContain(where.home)
    expect((await svc('show', where, { options: { json: true } })).stdout).toContain(path)
  })
})

describe('profiles rename', () => {
  it('changes the name where it stands, and "current" with it', async () => {
    const where = world()
    where.write('config.json', twoProfiles)
    const { code, stdout, stderr } = await svc('rename staging test', where, { options: { json: true } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      renamed: 'staging',
      name: 'test',
      current: true,
      file: join(where.config, 'config.json'),
    })
    const { prod, staging } = twoProfiles.profiles
    expect(fileOf(where)).toEqual({ current: 'test', profiles: { prod, test: staging } })
    expect(Object.keys((fileOf(where) as typeof twoProfiles).profiles)).toEqual(
      Object.keys(twoProfiles.profiles).map((name) => (name === 'staging' ? 'test' : name)),
    )
  })

  it.each([
    ['rename nobody test', 4, 'there is no profile "nobody"'],
    ['rename staging prod', 2, 'there is a profile "prod" already'],
    ['rename staging __proto__', 2, '"__proto__" cannot be the name of a profile'],
  ])('%s is exit %i and changes nothing', async (line, code, message) => {
    const where = world()
    where.write('config.json', twoProfiles)
    const result = await svc(line, where)
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(message)
    expect(fileOf(where)).toEqual(twoProfiles)
  })
})

describe('profiles use', () => {
  it('changes the current one and nothing else', async () => {
    const where = world()
    where.write('config.json', twoProfiles)
    expect((await svc('use prod', where)).code).toBe(0)
    expect(fileOf(where)).toEqual({ ...twoProfiles, current: 'prod' })
  })

  it('is exit 4 for an unknown one, and makes no file', async () => {
    const where = world()
    expect(await svc('use prod', where)).toMatchObject({ code: 4 })
    expect(readdirSync(where.home)).toEqual([])
    where.write('config.json', twoProfiles)
    expect((await svc('use stagign', where)).stderr).toContain('did you mean "staging"?')
    expect(fileOf(where)).toEqual(twoProfiles)
  })

  it('says what to change in a YAML file', async () => {
    const where = world()
    chmodSync(where.write('config.yaml', twoProfiles), 0o600)
    expect(await svc('use prod', where)).toMatchObject({ code: 2 })
    expect((await svc('use prod', where)).stderr).toContain('current: prod')
  })
})

describe('profiles remove', () => {
  it('takes one away', async () => {
    const where = world()
    where.write('config.json', twoProfiles)
    const { stdout, stderr, asked } = await svc('remove prod', where, { options: { json: true } })
    expect(JSON.parse(stdout)).toMatchObject({ removed: 'prod', current: 'staging' })
    expect(stderr).toBe('')
    expect(asked).toEqual(['Remove the protected profile "prod"?'])
    expect(fileOf(where)).toEqual({ current: 'staging', profiles: { staging: twoProfiles.profiles.staging } })
  })

  it('leaves the only other one current, and none when there are several or none', async () => {
    const where = world()
    const { prod, staging } = twoProfiles.profiles
    where.write('config.json', { ...twoProfiles, profiles: { prod, staging, third: staging } })
    const { stderr, code } = await svc('remove staging', where)
    expect(code).toBe(0)
    expect(stderr).toBe('warning: no profile is current now; choose one with: svc profiles use <name>')
    expect(fileOf(where)).toEqual({ profiles: { prod, third: staging } })
    expect((await svc('remove third', where)).stderr).toBe('')
    expect(fileOf(where)).toEqual({ current: 'prod', profiles: { prod } })
    expect((await svc('remove prod', where)).stderr).toContain('no profile is current now')
    expect(fileOf(where)).toEqual({ profiles: {} })
  })

  it('is exit 4 for an unknown one', async () => {
    const where = world()
    where.write('config.json', twoProfiles)
    expect((await svc('remove toString', where)).code).toBe(4)
    expect(fileOf(where)).toEqual(twoProfiles)
  })
})

describe('profiles path', () => {
  it('prints the path alone', async () => {
    const where = world()
    expect(await svc('path', where)).toMatchObject({ stdout: `${join(where.config, 'config.json')}\n`, code: 0 })
    const yaml = where.write('config.yaml', 'broken: [')
    expect((await svc('path', where)).stdout).toBe(`${yaml}\n`)
    expect(JSON.parse((await svc('path', where, { options: { json: true } })).stdout)).toEqual({
      path: yaml,
      exists: true,
      source: 'the configuration folder',
      stateDir: join(where.home, '.local/state/svc'),
    })
  })

  it('says what is missing without a home', async () => {
    expect((await svc('path', world({ env: { HOME: undefined } }))).stderr).toContain('HOME is not set')
  })
})
