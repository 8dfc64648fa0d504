import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keyEnding, readConfiguration, type Profile } from '../../src/config/profile.ts'
import { colorLevel } from '../../src/cli/print-options.ts'
import type { TypedSettings } from '../../src/config/settings.ts'
import { problem, twoProfiles, world, type World, type WorldOptions } from './world.ts'

const credentials = {
  SVC_BASE_URL: 'https://env.example.com/',
  SVC_API_KEY: 'pk_env_e5f6',
  SVC_API_SECRET: 'env-secret',
}

function withProfiles(options: WorldOptions = {}): World {
  const where = world(options)
  where.write('config.json', twoProfiles)
  return where
}

async function profile({ host }: World, options: TypedSettings = {}): Promise<Profile> {
  return (await readConfiguration(host, options)).profile()
}

describe('base URL, key and secret come together', () => {
  it.each<[string, TypedSettings, Record<string, string>, string | undefined, string, string]>([
    [
      '-p before everything',
      { profile: 'prod' },
      { ...credentials, SVC_PROFILE: 'staging' },
      'staging',
      'prod',
      '--profile',
    ],
    [
      'the environment before SVC_PROFILE',
      {},
      { ...credentials, SVC_PROFILE: 'prod' },
      'staging',
      'env',
      'the environment',
    ],
    ['SVC_PROFILE before a project file', {}, { SVC_PROFILE: 'prod' }, 'staging', 'prod', 'SVC_PROFILE'],
    ['a project file before current', {}, {}, 'staging', 'staging', '.svcrc.json'],
    ['current last', {}, {}, undefined, 'staging', 'current in '],
    [
      'nothing from a variable that is empty',
      {},
      { SVC_PROFILE: '', SVC_API_KEY: '' },
      undefined,
      'staging',
      'current in ',
    ],
  ])('%s', async (_, options, env, project, name, source) => {
    const where = withProfiles({ env })
    if (project !== undefined) where.plant('.svcrc.json', { profile: project })
    const found = await profile(where, options)
    expect(found.name ?? 'env').toBe(name)
    expect(found.source).toContain(source)
    expect(found.baseUrl).toBe(
      { prod: 'https://api.example.com', staging: 'https://staging.example.com/crm', env: 'https://env.example.com' }[
        name
      ],
    )
    expect(await found.secret()).toBe(`${name}-secret`)
  })

  it('a project file’s profile is noted, but only when it counts', async () => {
    const where = withProfiles()
    const path = where.plant('.svcrc.json', { profile: 'staging' })
    expect((await readConfiguration(where.host, {})).notes).toEqual([`profile "staging" (named by ${path})`])
    expect((await readConfiguration(where.host, { profile: 'prod' })).notes).toEqual([])
  })

  it('a project file never names a protected profile', async () => {
    const where = withProfiles()
    where.plant('.svcrc.json', { profile: 'prod' })
    const error = await problem(() => profile(where))
    expect(error.message).toContain('names the protected profile "prod"')
    expect(error).toMatchObject({ exitCode: 2, details: { hint: 'name it yourself: -p prod' } })
    expect((await profile(where, { profile: 'prod' })).protected).toBe(true)
  })

  it.each<[string[], string]>([
    [['SVC_BASE_URL'], 'SVC_BASE_URL is set, but not SVC_API_KEY and SVC_API_SECRET (or SVC_API_SECRET_FILE)'],
    [['SVC_API_KEY'], 'SVC_API_KEY is set, but not SVC_BASE_URL and SVC_API_SECRET (or SVC_API_SECRET_FILE)'],
    [['SVC_API_SECRET'], 'SVC_API_SECRET is set, but not SVC_BASE_URL and SVC_API_KEY'],
    [
      ['SVC_BASE_URL', 'SVC_API_KEY'],
      'SVC_BASE_URL and SVC_API_KEY are set, but not SVC_API_SECRET (or SVC_API_SECRET_FILE)',
    ],
    [['SVC_BASE_URL', 'SVC_API_SECRET'], 'SVC_BASE_URL and SVC_API_SECRET are set, but not SVC_API_KEY'],
    [['SVC_API_KEY', 'SVC_API_SECRET'], 'SVC_API_KEY and SVC_API_SECRET are set, but not SVC_BASE_URL'],
  ])('%j alone is exit 4, whatever a file says', async (names, message) => {
    const where = withProfiles({
      env: Object.fromEntries(Object.entries(credentials).filter(([name]) => names.includes(name))),
    })
    expect(await problem(() => profile(where))).toMatchObject({ category: 'config', exitCode: 4, message })
  })

  it('the environment’s secret may be in a file', async () => {
    const { SVC_API_SECRET: _, ...others } = credentials
    const where = world({ env: { ...others, SVC_API_SECRET_FILE: 'secret' } })
    where.plant('secret', 'file-secret\n')
    const found = await profile(where)
    expect(await found.secret()).toBe('file-secret')
    expect(found.sources.secret).toBe(`the file ${join(where.project, 'secret')}`)
  })

  it('the environment’s secret is in one place', async () => {
    const where = world({ env: { ...credentials, SVC_API_SECRET_FILE: '/run/secret' } })
    expect((await problem(() => profile(where))).message).toBe('SVC_API_SECRET and SVC_API_SECRET_FILE are both set')
  })

  it('a secret and a key may end in a line end', async () => {
    const found = await profile(
      world({ env: { ...credentials, SVC_API_SECRET: 'abcdefgh\n', SVC_API_KEY: 'pk_12345678\n' } }),
    )
    expect(await found.secret()).toBe('abcdefgh')
    expect(found.apiKey).toBe('pk_12345678')
  })

  it('a key that fits into no header is exit 4', async () => {
    const where = world({ env: { ...credentials, SVC_API_KEY: 'pk\r\nX-Other: 1' } })
    expect(await problem(() => profile(where))).toMatchObject({ exitCode: 4 })
  })

  it('the secret is read once', async () => {
    const where = world({ env: { SVC_PROFILE: 'a' } })
    where.write('config.json', {
      profiles: { a: { baseUrl: 'https://a.example.com', apiKey: 'k', secretFile: 'secret' } },
    })
    const path = where.write('secret', 'the-first')
    const found = await profile(where)
    expect(found.sources.secret).toBe(`the file ${path}`)
    expect(await found.secret()).toBe('the-first')
    where.write('secret', 'the-second')
    expect(await found.secret()).toBe('the-first')
  })
})

describe('--base-url', () => {
  it('of the same origin replaces the path', async () => {
    const found = await profile(withProfiles(), { baseUrl: 'https://staging.example.com:443/other/' })
    expect(found.baseUrl).toBe('https://staging.example.com/other')
    expect(found.sources.baseUrl).toBe('--base-url')
  })

  it.each([
    'https://api.example.com',
    'https://staging.example.com:8443',
    'https://evil.example.com',
    'http://localhost:4010',
    'https://staging.example.com.evil.example',
  ])('%s gets no stored secret', async (baseUrl) => {
    const error = await problem(() => profile(withProfiles(), { baseUrl }))
    expect(error).toMatchObject({ category: 'config', exitCode: 4 })
    expect(error.message).toContain('the secret belongs to https://staging.example.com (profile "staging")')
  })

  it('elsewhere than SVC_BASE_URL gets no secret of the environment', async () => {
    const error = await problem(() => profile(world({ env: credentials }), { baseUrl: 'https://evil.example.com' }))
    expect(error).toMatchObject({ exitCode: 4 })
  })

  it('completes key and secret of the environment', async () => {
    const { SVC_BASE_URL: _, ...env } = credentials
    expect((await profile(world({ env }), { baseUrl: 'https://typed.example.com/' })).baseUrl).toBe(
      'https://typed.example.com',
    )
  })

  it('that is no base URL is exit 2 at once', async () => {
    const { host } = withProfiles()
    expect(await problem(() => readConfiguration(host, { baseUrl: 'example.com' }))).toMatchObject({ exitCode: 2 })
    const wrong = world({ env: { ...credentials, SVC_BASE_URL: 'ftp://x' } })
    expect(await problem(() => profile(wrong))).toMatchObject({ exitCode: 2 })
  })
})

describe('without credentials', () => {
  it('whoever named an unknown profile is named', async () => {
    const where = withProfiles({ env: { SVC_PROFILE: 'gone' } })
    expect((await problem(() => profile(where))).message).toBe('there is no profile "gone" (named by SVC_PROFILE)')
    const dangling = world()
    const path = dangling.write('config.json', { ...twoProfiles, current: 'gone' })
    expect((await problem(() => profile(dangling))).message).toBe(
      `there is no profile "gone" (named by current in ${path})`,
    )
  })
})

it('a file that is named and not there is exit 2 for whoever needs a profile', async () => {
  for (const env of [{}, credentials]) {
    const { host, project } = withProfiles({ env })
    const configuration = await readConfiguration(host, { config: 'none.json' })
    expect(await problem(() => configuration.profile())).toMatchObject({
      exitCode: 2,
      message: `${join(project, 'none.json')} cannot be read: there is no such file`,
    })
  }
})

describe('colour', () => {
  it.each<[Parameters<typeof colorLevel>[0], Record<string, string>, boolean, number]>([
    ['auto', {}, true, 1],
    ['auto', {}, false, 0],
    ['auto', { TERM: 'xterm-256color' }, true, 2],
    ['auto', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, true, 3],
    ['auto', { TERM: 'xterm', COLORTERM: '24bit' }, true, 3],
    ['auto', { TERM: 'dumb', COLORTERM: 'truecolor' }, true, 0],
    ['auto', { NO_COLOR: '1' }, true, 0],
    ['auto', { NO_COLOR: '' }, true, 1],
    ['auto', { NO_COLOR: '1', FORCE_COLOR: '3' }, true, 0],
    ['auto', { FORCE_COLOR: '' }, false, 1],
    ['auto', { FORCE_COLOR: '1' }, false, 1],
    ['auto', { FORCE_COLOR: 'true', TERM: 'xterm-256color' }, false, 2],
    ['auto', { FORCE_COLOR: '3' }, false, 3],
    ['auto', { FORCE_COLOR: '0' }, true, 0],
    ['auto', { FORCE_COLOR: 'false' }, true, 0],
    ['never', { FORCE_COLOR: '3' }, true, 0],
    ['always', {}, false, 1],
    ['always', { NO_COLOR: '1', TERM: 'xterm-256color' }, false, 2],
    ['always', { TERM: 'dumb' }, false, 1],
  ])('%s %j on a terminal: %s is level %i', (setting, env, terminal, level) => {
    expect(colorLevel(setting, env, terminal)).toBe(level)
  })
})

describe('the folder for journals', () => {
  it.each<[string, WorldOptions, TypedSettings, (where: World) => string, string]>([
    [
      'an option',
      { env: { SVC_STATE_DIR: '/v' } },
      { stateDir: 'here' },
      ({ project }) => join(project, 'here'),
      '--state-dir',
    ],
    ['a variable', { env: { SVC_STATE_DIR: '/v', XDG_STATE_HOME: '/x' } }, {}, () => '/v', 'SVC_STATE_DIR'],
    ['XDG', { env: { XDG_STATE_HOME: '/x' } }, {}, () => '/x/svc', 'XDG_STATE_HOME'],
    ['XDG elsewhere', { env: { XDG_STATE_HOME: '/x' }, platform: 'darwin' }, {}, () => '/x/svc', 'XDG_STATE_HOME'],
    ['no relative XDG', { env: { XDG_STATE_HOME: 'x' } }, {}, ({ home }) => join(home, '.local/state/svc'), 'built-in'],
    ['Linux', {}, {}, ({ home }) => join(home, '.local/state/svc'), 'built-in'],
    ['macOS', { platform: 'darwin' }, {}, ({ home }) => join(home, 'Library/Application Support/svc'), 'built-in'],
    ['Windows', { platform: 'win32', env: { LOCALAPPDATA: '/local' } }, {}, () => '/local/svc/Data', 'built-in'],
  ])('comes from %s', async (_, options, typed, path, source) => {
    const where = world(options)
    expect((await readConfiguration(where.host, typed)).stateDir).toMatchObject({ value: path(where), source })
  })

  it('is missed only when it is needed', async () => {
    const configuration = await readConfiguration(world({ env: { ...credentials, HOME: undefined } }).host, {})
    expect(configuration.profile().name).toBeUndefined()
    const error = await problem(() => configuration.stateDir)
    expect(error.message).toContain('HOME is not set')
    expect(error.details.hint).toContain('--state-dir')
  })
})

it('shows of a key its ending, and nothing of a short one', () => {
  expect(keyEnding('pk_live_a1b2')).toBe('…a1b2')
  expect(keyEnding('12345678')).toBe('…5678')
  expect(keyEnding('1234567')).toBe('…')
})
