import { describe, expect, it } from 'vitest'
import { stateFolder } from '../../src/config/places.ts'
import { readUserFile } from '../../src/config/file.ts'
import { readConfiguration, type Profile } from '../../src/config/profile.ts'
import { hasColors } from '../../src/host.ts'
import { table } from '../support/table.ts'
import { twoProfiles, world, type World, type WorldOptions } from '../support/config-world.ts'
import { refusal } from '../support/inputs.ts'
import { hintText } from '../support/shown-text.ts'
import { commandOf, wordsOf } from '../support/svc.ts'

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
const environmentOf = (words = '') => commandOf(wordsOf(words)).variables

async function profile({ host }: World, options: { profile?: string } = {}): Promise<Profile> {
  return (await readConfiguration(host, options)).profile()
}

describe('base URL, key and secret come together', () => {
  it('the first of these counts: -p, the environment, SVC_PROFILE, current', async () => {
    const places = [
      ['--profile', 'prod', 'api.example.com'],
      ['the environment', 'env', 'env.example.com'],
      ['SVC_PROFILE', 'prod', 'api.example.com'],
      ['current in ', 'staging', 'staging.example.com/crm'],
    ] as const
    for (const [first, [source, name, url]] of places.entries()) {
      // A variable that is empty says nothing.
      const env = {
        ...(first <= 1 ? credentials : { SVC_API_KEY: '' }),
        SVC_PROFILE: first <= 2 ? 'prod' : '',
      }
      const where = withProfiles({ env })
      const found = await profile(where, first === 0 ? { profile: 'prod' } : {})
      expect(found.chosenBy).toContain(source)
      expect([found.name ?? 'env', found.baseUrl]).toEqual([name, `https://${url}`])
      expect(await found.secret()).toBe(`${name}-secret`)
    }
  })

  it('-p takes any letter case when only one profile fits', async () => {
    const where = world()
    const { prod } = twoProfiles.profiles
    where.write('config.json', { profiles: { prod, eu: prod, EU: prod } })
    const found = (typed: string) => profile(where, { profile: typed })
    const typed = ['PROD', 'Prod', ' prod\u200b', '\uff30ROD', 'eu', 'EU']
    const names = await Promise.all(typed.map(async (each) => (await found(each)).name))
    expect(names).toEqual(['prod', 'prod', 'prod', 'prod', 'eu', 'EU'])
    // Two fit, and none.
    for (const typed of ['Eu', 'pro']) {
      const message = `there is no profile "${typed}" (named by --profile)`
      await expect(found(typed)).rejects.toMatchObject({ exitCode: 2, message })
    }
  })

  const names = Object.keys(credentials) as (keyof typeof credentials)[]
  it.each([
    ...names.map((name) => [name]),
    ...names.map((name) => names.filter((other) => other !== name)),
    [...names, 'SVC_API_SECRET_FILE'] as const,
  ])('variables are complete, or exit 4: %s %s %s', async (...set) => {
    const all = { ...credentials, SVC_API_SECRET_FILE: 'x' }
    const env = Object.fromEntries(set.map((name) => [name, all[name]]))
    const error = await refusal(() => profile(withProfiles({ env })))
    const words = 'the credentials in the environment are incomplete or conflicting'
    const message = `${words}; these variables are set: ${set.join(', ')}`
    expect([error.exitCode, error.message]).toEqual([4, message])
  })

  it.each([
    ['--profile', {}, { profile: 'gone' }],
    ['SVC_PROFILE', { SVC_PROFILE: 'gone' }, {}],
    ['current in CONFIG', {}, {}],
  ])('a profile that is not there is exit 2, with who named it: %s', async (by, env, options) => {
    const where = world({ env })
    const path = where.write('config.json', { ...twoProfiles, current: 'gone' })
    const { exitCode, message, details } = await refusal(() => profile(where, options))
    const namedBy = by.replace('CONFIG', path)
    expect([exitCode, message]).toEqual([2, `there is no profile "gone" (named by ${namedBy})`])
    expect(hintText(details.hint)).toContain('profiles: prod, staging')
  })

  it('a file that is named and not there is exit 2', async () => {
    const { message } = await refusal(() => profile(world({ env: { SVC_CONFIG: '/none.json' } })))
    expect(message).toBe('/none.json cannot be read: there is no such file')
  })
})

it('a variable of white space alone is none', async () => {
  const where = withProfiles()
  const others = 'API_SECRET_FILE PROFILE CONFIG TIMEOUT SANDBOX STATE_DIR'.split(' ')
  const names = [...Object.keys(credentials), ...others.map((name) => `SVC_${name}`)]
  const blank = Object.fromEntries(names.map((name) => [name, ' \n']))
  const host = { ...where.host, env: { ...where.host.env, ...blank } }
  const found = await readConfiguration(host, {})
  expect([found.profile().name, found.settings.timeout]).toEqual(['staging', 20_000])
  expect(stateFolder(host).startsWith(where.home)).toBe(true)
})

const cases = table(`
    TERM=xterm                    | a terminal | yes
    TERM=xterm                    | a pipe     | no
                                  | a terminal | no
    TERM=dumb COLORTERM=truecolor | a terminal | no
    FORCE_COLOR=1                 | a pipe     | yes
    TERM=xterm FORCE_COLOR=0      | a terminal | no
    TERM=xterm NO_COLOR=          | a terminal | yes
    NO_COLOR=1 FORCE_COLOR=3      | a terminal | no
                                  | a console  | yes
    TERM=dumb                     | a console  | no
  `)
it.each(cases)('color: %s, to %s: %s', (variables, to, expected) => {
  // A console is the terminal of Windows, which sets no TERM.
  const host = { env: environmentOf(variables), isWindows: to === 'a console' }
  expect(hasColors(host, to !== 'a pipe')).toBe(expected === 'yes')
})

describe('the state folder', () => {
  const cases = table(`
    a variable      | SVC_STATE_DIR=/v XDG_STATE_HOME=/x | /v
    one at home     | SVC_STATE_DIR=~/v                  | $HOME/v
    XDG             | XDG_STATE_HOME=/x                  | /x/svc
    no relative XDG | XDG_STATE_HOME=x                   | $HOME/.local/state/svc
    no variable     |                                    | $HOME/.local/state/svc
  `)
  it.each(cases)('comes from %s', (_name, variables, path = '') => {
    const where = world({ env: environmentOf(variables) })
    const value = path.replace('$PROJECT', where.project).replace('$HOME', where.home)
    expect(stateFolder(where.host)).toBe(value)
  })

  it.each([undefined, '', 'home/ana'])('is missed when it is needed: HOME=%s', async (HOME) => {
    const { host } = world({ env: { ...credentials, HOME } })
    expect((await readConfiguration(host, {})).profile().name).toBeUndefined()
    const { host: bare } = world({ env: { HOME } })
    const named = async () => (await readConfiguration(host, { profile: 'prod' })).profile()
    const current = async () => (await readConfiguration(bare, {})).profile()
    for (const act of [() => stateFolder(host), () => readUserFile(bare), named, current]) {
      const error = await refusal(act)
      expect(error.message).toBe('svc has nowhere to keep its files: there is no home folder')
      expect(error.details.hint).toContain('HOME')
      expect(error.exitCode).toBe(2)
    }
  })
})
