import { shownText } from '../shown-text.ts'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readUserFile, type UserFile } from '../../src/config/file.ts'
import { findConfigPath } from '../../src/config/paths.ts'
import { problem, twoProfiles, world, type World, type WorldOptions } from './world.ts'

const hidden = 'hunter2-do-not-show'
const bare = { baseUrl: 'https://api.example.com', apiKey: 'pk_1234' }
const good = { ...bare, apiSecret: hidden }

function read({ host }: World, SVC_CONFIG?: string): Promise<UserFile | undefined> {
  return readUserFile({ ...host, env: { ...host.env, ...(SVC_CONFIG && { SVC_CONFIG }) } })
}

const messageOf = async (action: () => unknown): Promise<string> => {
  const { exitCode, message } = await problem(action)
  expect(exitCode).toBe(2)
  return message
}

/** The message and hint of what is wrong with a file; never with a value of it. */
async function wrong(content: unknown, name = 'config.json'): Promise<string> {
  const where = world()
  const path = where.write(name, content)
  const error = await problem(() => read(where))
  const { category, exitCode } = error
  const text = shownText(error)
  expect([category, exitCode, text.includes(hidden), text.includes(path)]).toEqual([
    'config',
    2,
    false,
    true,
  ])
  return text.replaceAll(path, 'FILE')
}

describe('where the file is', () => {
  it('is config.json, config.yaml or config.yml of the configuration folder', async () => {
    for (const name of ['config.json', 'config.yaml', 'config.yml']) {
      const where = world({ env: { SVC_CONFIG: '' } })
      expect(await read(where)).toBeUndefined()
      expect(existsSync(where.config)).toBe(false)
      const path = where.write(name, '{"current": "a"}')
      expect(await read(where)).toMatchObject({ path, content: { current: 'a' } })
    }
  })

  it.each<[string, WorldOptions, (where: World) => string | undefined]>([
    ['XDG_CONFIG_HOME', { env: { XDG_CONFIG_HOME: '/xdg' } }, () => '/xdg/svc/config.json'],
    [
      'a relative one',
      { env: { XDG_CONFIG_HOME: 'here' } },
      ({ config }) => join(config, 'config.json'),
    ],
    ['macOS', { platform: 'darwin' }, ({ config }) => join(config, 'config.json')],
    [
      'Windows',
      { platform: 'win32', env: { APPDATA: '/roaming' } },
      () => '/roaming/svc/config.json',
    ],
    // No error for whoever needs no file.
    ['no home', { env: { HOME: undefined } }, () => undefined],
  ])('with %s', async (_, options, path) => {
    const where = world(options)
    expect(findConfigPath(where.host)?.path).toBe(path(where))
    expect(await read(where)).toBeUndefined()
  })

  it('is an error when it can be none, or its folder goes round in a circle, and none when a file stands in its place', async () => {
    const where = world()
    expect(await messageOf(() => read(where, 'a\0.json'))).toContain('a file cannot have this name')
    mkdirSync(join(where.config, '..'), { recursive: true })
    symlinkSync(where.config, where.config)
    expect(await messageOf(() => read(where))).toContain('one of a loop of links')
    rmSync(where.config)
    writeFileSync(where.config, '')
    expect(await read(where)).toBeUndefined()
  })

  it('needs no current folder unless it is named relative to it', async () => {
    const where = world()
    where.write('config.json', { current: 'a' })
    const gone = { ...where, host: { ...where.host, cwd: noFolder } }
    expect(await read(gone)).toMatchObject({ content: { current: 'a' } })
    await expect(read(gone, 'x.json')).rejects.toThrow('uv_cwd')
  })
})

function noFolder(): never {
  throw Object.assign(new Error('uv_cwd'), { code: 'ENOENT' })
}

describe('the content of the file', () => {
  it('is JSON or YAML, with or without a byte order mark', async () => {
    const prod = { ...bare, secretCommand: ['pass', 'show', 'svc/prod'], protected: true }
    const content = { current: 'prod' }
    // JSON is YAML too.
    const text = `\ufeff${JSON.stringify({ ...content, profiles: { prod } })}`
    for (const name of ['config.json', 'config.yaml']) {
      const where = world()
      where.write(name, text)
      const expected = { ...content, profiles: new Map([['prod', prod]]) }
      expect(await read(where)).toMatchObject({ content: expected })
    }
    const where = world()
    where.write('config.json', '{}')
    const nothing = { current: undefined, profiles: new Map() }
    expect((await read(where))?.content).toEqual(nothing)
  })

  it('has values as variables have them: a rate with or without its unit, a country', async () => {
    const where = world()
    const profiles = { a: { ...good, rate: '5/s', country: 'de' } }
    where.write('config.json', { profiles })
    expect((await read(where))?.content.profiles.get('a')).toMatchObject({
      rate: 5,
      country: 'DE',
    })
  })

  it.each([
    ['', 'FILE must be an object'],
    [' \n\t\n', 'FILE must be an object'],
    ['null', 'FILE must be an object'],
    ['[]', 'FILE must be an object'],
    [`{"profiles": {"a": {"apiSecret": ${hidden}}}}`, 'FILE is not valid JSON'],
    ['{"a": 1,}', 'FILE is not valid JSON'],
    ['{\n\t"a": 1\n\t"b": 2\n}', 'FILE is not valid JSON'],
    [`{"a": "${hidden}`, 'FILE is not valid JSON'],
    [`{"a": "\\q ${hidden}"}`, 'FILE is not valid JSON'],
    [Buffer.from('\ufeff{}', 'utf16le'), 'FILE is not valid JSON'],
  ])('%j is refused: %s', async (content, message) => {
    const [first = ''] = (await wrong(content)).split('\n')
    expect(first).toMatch(typeof message === 'string' ? new RegExp(`^${message}$`) : message)
  })

  it.each([
    ['# nothing yet\n', /^FILE must be an object$/],
    ['just words', /^FILE must be an object$/],
    [`current: "${hidden}`, /^FILE:\d+ is not valid YAML\n/],
    [`a: [1,\nb: ${hidden}: x`, /^FILE:\d+ is not valid YAML\n/],
    [`profiles:\n  a: { apiSecret: *${hidden} }`, /^FILE:2 is not valid YAML\n/],
    [`profiles:\n  a: { apiSecret: !${hidden} x }`, /is not valid YAML\n/],
    ['current: a\ncurrent: b', /^FILE:2 is not valid YAML\n/],
    ['a: 1\n---\nb: 2', /is not valid YAML/],
    ['a: 1\n b: 2\n', /^FILE:2 is not valid YAML\n/],
    [
      'profiles: { a: { baseUrl: https://x.example, apiKey: 12345678, secretFile: x } }',
      /apiKey must be text; put it/,
    ],
  ])('YAML %j is refused: %s', async (content, message) => {
    expect(await wrong(content, 'config.yaml')).toMatch(message)
  })

  // The text of a file, or members of its profile "a": with the others of a good one, or with all but the secret.
  const refused = `
    {"curent": "a"} → FILE has the unknown key "curent"; did you mean current?
    {"baseUrl": "https://x.example"} → FILE has the unknown key "baseUrl"; did you mean current or profiles?
    {"defaults": {"output": "json"}} → FILE has the unknown key "defaults"; did you mean current or profiles?
    {"__proto__": {"current": "a"}} → has the unknown key "__proto__"
    {"profiles": {"__proto__": {}}} → profiles a profile name has
    {"profiles": {"constructor": {}}} → profiles a profile name has
    {"profiles": {"${'x'.repeat(65)}": {}}} → profiles a profile name has
    {"profiles": []} → profiles must be an object
    {"profiles": {"a": null}} → profiles.a must be an object
    {"profiles": {"a": {}}} → profiles.a.baseUrl is missing
    {"profiles": {"a": {"baseUrl": "https://x.example", "secretFile": "x"}}} → profiles.a.apiKey is missing
    {"$import": "./other.json"} → FILE has the key "$import", and svc imports nothing
    good {"apisecret": "x"} → FILE: profiles.a has the unknown key "apisecret"; did you mean apiSecret?
    good {"caFile": "/etc/ca.pem"} → profiles.a has the unknown key "caFile"; did you mean baseUrl,
    good {"country": "Germany"} → profiles.a.country takes a country in two letters
    good {"apiKey": 12345678} → profiles.a.apiKey must be text; put it in quotes
    good {"apiKey": "pk\\r\\nX: y"} → profiles.a.apiKey must be 1 to 1,024 visible characters
    good {"baseUrl": "https://u:${hidden}@x.example"} → baseUrl must be https:// with a host
    good {"protected": "yes"} → profiles.a.protected must be true or false
    good {"secretFile": "x"} → exactly one of apiSecret, secretFile or secretCommand
    bare {} → profiles.a must contain exactly one of
    bare {"secretCommand": "pass show"} → profiles.a.secretCommand must be a list
    bare {"secretEnv": "A_B"} → profiles.a has the unknown key "secretEnv"`
  it.each(refused.trim().split(/\n */))('%s', async (line) => {
    const [text = '', message] = line.split(' → ')
    const [, kind, members = ''] = /^(good|bare) (.*)/.exec(text) ?? []
    const a = { ...(kind === 'good' ? good : bare), ...(JSON.parse(members || '{}') as object) }
    expect(await wrong(kind === undefined ? text : { profiles: { a } })).toContain(message)
  })

  it('does not swell by aliases', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'
        .split('')
        .map((letter, index) => `${letter}: &${letter} [${`*${'abcdefghi'[index]},`.repeat(9)}]`),
    ]
    expect(await wrong(bomb.join('\n'), 'config.yaml')).toContain('has the unknown key "a"')
  })

  it('is refused unread when it is larger than 1 MB', async () => {
    const where = world()
    const path = where.write('config.json', `{}${' '.repeat(1_048_574)}`)
    expect(await read(where)).toBeDefined()
    for (const size of [1_048_577, 10 ** 12]) {
      const file = openSync(path, 'r+')
      ftruncateSync(file, size)
      closeSync(file)
      expect(await messageOf(() => read(where))).toContain('at most 1 MB')
    }
  })
})

describe('a file that others can reach', () => {
  // A path that a shell would take apart.
  const name = "it's mine.json"
  it.each<[string, object, number[], string, string]>([
    ['a secret', twoProfiles, [0o640, 0o604], 'others can read ', 'chmod go-rwx'],
    [
      'neither',
      { profiles: { a: { ...bare, secretFile: 'x' } } },
      [0o620],
      'others can write to',
      'chmod go-w',
    ],
  ])('with %s is refused', async (_, content, modes, problemOf, command) => {
    const where = world()
    const path = where.plant(name, content)
    const quoted = `'${path.replace("'", "'\\''")}'`
    for (const mode of modes) {
      chmodSync(path, mode)
      const { message, details } = await problem(() => read(where, name))
      expect(message).toContain(problemOf)
      expect(details.hint).toContain(`${command} ${quoted}`)
    }
    const windows = {
      ...where,
      host: { ...where.host, platform: 'win32', userId: undefined } as const,
    }
    expect(await read(windows, name)).toBeDefined()
    chmodSync(path, 0o600)
    expect(await read(where, name)).toBeDefined()
  })

  it('without a secret may be read by anybody', async () => {
    const where = world()
    where.write('config.json', { profiles: { a: { ...bare, secretFile: 'x' } } }, 0o644)
    expect((await read(where))?.content.profiles.size).toBe(1)
  })

  it('of another user is refused, whoever reads it', async () => {
    const where = world()
    const path = where.write('config.json', {})
    // Anybody may name root's files, so a file that belongs to root is given away here.
    if (process.geteuid?.() === 0) chownSync(path, 65_534, 65_534)
    const owner = statSync(path).uid
    for (const userId of [owner + 1, 0]) {
      const other = { ...where, host: { ...where.host, userId } }
      expect(await messageOf(() => read(other))).toContain(
        `${path} belongs to another user (owner id ${owner})`,
      )
    }
  })
})
