import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { keyEnding, readConfiguration, type Profile } from '../../src/config/profile.ts'
import { hasColors } from '../../src/cli/print-options.ts'
import type { TypedSettings } from '../../src/config/settings.ts'
import { table } from '../table.ts'
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

/** `A=1 B=` as variables. */
function environmentOf(words = ''): Record<string, string> {
  const pairs = words.split(' ').filter((word) => word !== '')
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}

async function profile({ host }: World, options: TypedSettings = {}): Promise<Profile> {
  return (await readConfiguration(host, options)).profile()
}

describe('base URL, key and secret come together', () => {
  it('the first of these counts: -p, the environment, SVC_PROFILE, current', async () => {
    const urls = {
      prod: 'api.example.com',
      staging: 'staging.example.com/crm',
      env: 'env.example.com',
    }
    const places = [
      ['--profile', 'prod'],
      ['the environment', 'env'],
      ['SVC_PROFILE', 'prod'],
      ['current in ', 'staging'],
    ] as const
    for (const [first, [source, name]] of places.entries()) {
      // A variable that is empty says nothing.
      const env = {
        ...(first <= 1 ? credentials : { SVC_API_KEY: '' }),
        SVC_PROFILE: first <= 2 ? 'prod' : '',
      }
      const where = withProfiles({ env })
      const found = await profile(where, first === 0 ? { profile: 'prod' } : {})
      expect(found.source).toContain(source)
      expect([found.name ?? 'env', found.baseUrl]).toEqual([name, `https://${urls[name]}`])
      expect(await found.secret()).toBe(`${name}-secret`)
    }
  })

  it('some of them alone are exit 4, whatever a file says', async () => {
    const all = Object.keys(credentials)
    for (let chosen = 1; chosen < 2 ** all.length - 1; chosen += 1) {
      const given = all.filter((_, n) => (chosen & (1 << n)) !== 0)
      const lacking = all.filter((name) => !given.includes(name)).join(' and ')
      const env = Object.fromEntries(
        Object.entries(credentials).filter(([name]) => given.includes(name)),
      )
      const verb = given.length === 1 ? 'is' : 'are'
      const message = `${given.join(' and ')} ${verb} set, but not ${lacking.replace(/SECRET$/, '$& (or SVC_API_SECRET_FILE)')}`
      expect(await problem(() => profile(withProfiles({ env })))).toMatchObject({
        exitCode: 4,
        message,
      })
    }
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
    expect((await problem(() => profile(where))).message).toBe(
      'SVC_API_SECRET and SVC_API_SECRET_FILE are both set',
    )
  })

  it('a secret and a key may end in a line end', async () => {
    const found = await profile(
      world({
        env: { ...credentials, SVC_API_SECRET: 'abcdefgh\n', SVC_API_KEY: 'pk_12345678\n' },
      }),
    )
    expect(await found.secret()).toBe('abcdefgh')
    expect(found.apiKey).toBe('pk_12345678')
  })

  it('a key of more than 1,024 characters, or that fits into no header, is exit 4', async () => {
    const withKey = (key: string) => profile(world({ env: { ...credentials, SVC_API_KEY: key } }))
    expect((await withKey('k'.repeat(1024))).apiKey).toHaveLength(1024)
    for (const key of ['k'.repeat(1025), 'pk\r\nX-Other: 1'])
      expect(await problem(() => withKey(key))).toMatchObject({ exitCode: 4 })
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
  it('a base URL of the same origin replaces the path', async () => {
    const found = await profile(withProfiles(), {
      baseUrl: 'https://staging.example.com:443/other/',
    })
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
    expect(error.message).toContain(
      'the secret belongs to https://staging.example.com (profile "staging")',
    )
  })

  it('elsewhere than SVC_BASE_URL gets no secret of the environment', async () => {
    const error = await problem(() =>
      profile(world({ env: credentials }), { baseUrl: 'https://evil.example.com' }),
    )
    expect(error).toMatchObject({ exitCode: 4 })
  })

  it('completes key and secret of the environment', async () => {
    const { SVC_BASE_URL: _, ...env } = credentials
    expect((await profile(world({ env }), { baseUrl: 'https://typed.example.com/' })).baseUrl).toBe(
      'https://typed.example.com',
    )
  })

  it('a text that is not a base URL is exit 2 at once', async () => {
    const { host } = withProfiles()
    expect(await problem(() => readConfiguration(host, { baseUrl: 'example.com' }))).toMatchObject({
      exitCode: 2,
    })
    const wrong = world({ env: { ...credentials, SVC_BASE_URL: 'ftp://x' } })
    expect(await problem(() => profile(wrong))).toMatchObject({ exitCode: 2 })
  })
})

it('the error says which option, variable or file named an unknown profile', async () => {
  const where = withProfiles({ env: { SVC_PROFILE: 'gone' } })
  expect((await problem(() => profile(where))).message).toBe(
    'there is no profile "gone" (named by SVC_PROFILE)',
  )
  const dangling = world()
  const path = dangling.write('config.json', { ...twoProfiles, current: 'gone' })
  expect((await problem(() => profile(dangling))).message).toBe(
    `there is no profile "gone" (named by current in ${path})`,
  )
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

test('a member of a profile counts before the defaults of the file', async () => {
  const profile = {
    ...twoProfiles.profiles.staging,
    country: 'FR',
  }
  const places = [
    ['country', 'FR', 'profile "staging"'],
    ['limit', 3, 'defaults in '],
    ['utc', false, 'built-in'],
  ] as const
  const where = world()
  where.write('config.json', {
    current: 'staging',
    profiles: { staging: profile },
    defaults: { country: 'DE', limit: 3 },
  })
  const { settings } = await readConfiguration(where.host, {})
  for (const [key, value, source] of places) {
    expect(settings[key]).toEqual({ value, source: expect.stringContaining(source) as string })
  }
  // The members of another profile say nothing.
  const other = await readConfiguration(where.host, { profile: 'prod' })
  expect(other.settings.country.value).toBe('DE')
})

describe('color', () => {
  const cases = table(`
    auto   |                                         | a terminal | yes
    auto   |                                         | a pipe     | no
    auto   | TERM=xterm-256color                     | a terminal | yes
    auto   | TERM=dumb COLORTERM=truecolor           | a terminal | no
    auto   | FORCE_COLOR=                            | a pipe     | yes
    auto   | FORCE_COLOR=1                           | a pipe     | yes
    auto   | FORCE_COLOR=true TERM=xterm-256color    | a pipe     | yes
    auto   | FORCE_COLOR=0                           | a terminal | no
    auto   | FORCE_COLOR=false                       | a terminal | no
    never  | FORCE_COLOR=3                           | a terminal | no
    always |                                         | a pipe     | yes
    always | NO_COLOR=1 TERM=xterm-256color          | a pipe     | yes
    always | TERM=dumb                               | a pipe     | yes
  `)
  it.each(cases)('%s, %s, to %s: %s', (setting, variables, to, expected) => {
    const typed = setting as Parameters<typeof hasColors>[0]
    expect(hasColors(typed, environmentOf(variables), to === 'a terminal')).toBe(expected === 'yes')
  })
})

describe('the folder for records of runs', () => {
  const cases = table(`
    an option       | linux  | SVC_STATE_DIR=/v                   | $PROJECT/here        | --state-dir
    a variable      | linux  | SVC_STATE_DIR=/v XDG_STATE_HOME=/x | /v                   | SVC_STATE_DIR
    XDG             | linux  | XDG_STATE_HOME=/x                  | /x/svc               | XDG_STATE_HOME
    XDG on macOS    | darwin | XDG_STATE_HOME=/x                  | /x/svc               | XDG_STATE_HOME
    no relative XDG | linux  | XDG_STATE_HOME=x                   | $HOME/.local/state/svc | built-in
    Linux           | linux  |                                    | $HOME/.local/state/svc | built-in
    macOS           | darwin |                                    | $HOME/Library/Application Support/svc | built-in
    Windows         | win32  | LOCALAPPDATA=/local                | /local/svc/Data      | built-in
  `)
  it.each(cases)('comes from %s', async (name, platform, variables, path = '', source) => {
    const where = world({ platform: platform as NodeJS.Platform, env: environmentOf(variables) })
    const typed = name === 'an option' ? { stateDir: 'here' } : {}
    const value = path.replace('$PROJECT', where.project).replace('$HOME', where.home)
    expect((await readConfiguration(where.host, typed)).stateDir).toMatchObject({ value, source })
  })

  it.each([undefined, '', 'home/ana'])(
    'is missed only when it is needed: HOME=%s',
    async (HOME) => {
      const configuration = await readConfiguration(
        world({ env: { ...credentials, HOME } }).host,
        {},
      )
      expect(configuration.profile().name).toBeUndefined()
      const error = await problem(() => configuration.stateDir)
      expect(error.message).toBe(
        'HOME is not set to an absolute path, so there is no place for the records of bulk runs',
      )
      expect(error.details.hint).toContain('--state-dir')
    },
  )
})

it('shows of a key its ending, and nothing of a short one', () => {
  expect(keyEnding('pk_live_a1b2')).toBe('…a1b2')
  expect(keyEnding('12345678')).toBe('…5678')
  expect(keyEnding('1234567')).toBe('…')
})
