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
import { readProjectFile, readUserFile, type UserFile } from '../../src/config/load.ts'
import { userFilePlace } from '../../src/config/paths.ts'
import { problem, twoProfiles, world, type World } from './world.ts'
import { patient } from '../figures/figure.ts'

const hidden = 'hunter2-do-not-show'

function read({ host }: World, options: { config?: string } = {}): Promise<UserFile | undefined> {
  return readUserFile(host, options)
}

/** The message and hint of what is wrong with a file; never with a value of it. */
async function wrong(content: unknown, name = 'config.json'): Promise<string> {
  const where = world()
  const path = where.write(name, content)
  const error = await problem(() => read(where))
  expect(error).toMatchObject({ category: 'config', exitCode: 2 })
  const text = [error.message, error.details.hint].filter((part) => part !== undefined).join('\n')
  expect(text).not.toContain(hidden)
  expect(text).toContain(path)
  return text.replaceAll(path, 'FILE')
}

const good = { baseUrl: 'https://api.example.com', apiKey: 'pk_1234', apiSecret: hidden }

describe('where the file is', () => {
  it('is config.json, config.yaml or config.yml of the configuration folder', async () => {
    for (const name of ['config.json', 'config.yaml', 'config.yml']) {
      const where = world()
      const path = where.write(name, '{"current": "a"}')
      expect(await read(where)).toMatchObject({ path, content: { current: 'a' } })
    }
  })

  it('is nowhere when there is none, and nothing is made', async () => {
    expect(await read(world())).toBeUndefined()
  })

  it('is below XDG_CONFIG_HOME, unless that is relative', () => {
    const where = world({ env: { XDG_CONFIG_HOME: '/etc/xdg-of-mine' } })
    expect(userFilePlace(where.host, {})?.path).toBe('/etc/xdg-of-mine/svc/config.json')
    const relative = world({ env: { XDG_CONFIG_HOME: 'here' } })
    expect(userFilePlace(relative.host, {})?.path).toBe(join(relative.config, 'config.json'))
  })

  it('is where env-paths has it on other systems', () => {
    const mac = world({ platform: 'darwin' })
    expect(userFilePlace(mac.host, {})?.path).toBe(join(mac.home, 'Library/Preferences/svc/config.json'))
    const windows = world({ platform: 'win32', env: { APPDATA: '/roaming' } })
    expect(userFilePlace(windows.host, {})?.path).toBe('/roaming/svc/Config/config.json')
  })

  it('is unknown without a home, which is no error for whoever needs no file', async () => {
    const { host } = world({ env: { HOME: undefined } })
    expect(userFilePlace(host, {})).toBeUndefined()
    expect(await readUserFile(host, {})).toBeUndefined()
  })

  it('is the one that --config names, before SVC_CONFIG, wherever it lies', async () => {
    const where = world({ env: { SVC_CONFIG: 'variable.json' } })
    where.write('config.json', { current: 'home' })
    const byVariable = where.plant('variable.json', { current: 'variable' })
    const byOption = where.plant('option.yaml', 'current: option')
    expect(await read(where)).toMatchObject({ path: byVariable, content: { current: 'variable' } })
    expect(await read(where, { config: 'option.yaml' })).toMatchObject({
      path: byOption,
      content: { current: 'option' },
    })
  })

  it('is the usual one when SVC_CONFIG is set to nothing', async () => {
    const where = world({ env: { SVC_CONFIG: '' } })
    where.write('config.json', { current: 'home' })
    expect(await read(where)).toMatchObject({ content: { current: 'home' } })
  })

  it('is an error when the named one is not there, or a folder, or no regular file', async () => {
    const where = world()
    expect((await problem(() => read(where, { config: 'none.json' }))).message).toBe(
      `${join(where.project, 'none.json')} cannot be read: there is no such file`,
    )
    expect((await problem(() => read(where, { config: '.' }))).message).toContain('is a folder')
    expect((await problem(() => read(where, { config: '/dev/zero' }))).message).toBe('/dev/zero is not a regular file')
    expect((await problem(() => read(where, { config: '' }))).exitCode).toBe(2)
  })

  it('is an error when there are two', async () => {
    const where = world()
    where.write('config.json', {})
    where.write('config.yaml', '{}')
    expect((await problem(() => read(where))).message).toContain('there are two configuration files')
  })

  it('needs no current folder unless it is named relative to it', async () => {
    const where = world()
    where.write('config.json', { current: 'a' })
    const gone = {
      ...where,
      host: {
        ...where.host,
        cwd: () => {
          throw Object.assign(new Error('uv_cwd'), { code: 'ENOENT' })
        },
      },
    }
    expect(await read(gone)).toMatchObject({ content: { current: 'a' } })
    expect((await problem(() => read(gone, { config: 'x.json' }))).message).toContain('which no longer exists')
  })
})

describe('what the file holds', () => {
  it('is JSON or YAML, with or without a byte order mark', async () => {
    const where = world()
    where.write('config.json', `\ufeff${JSON.stringify({ profiles: { a: good } })}`)
    expect((await read(where))?.content.profiles.get('a')).toEqual(good)
    const yaml = world()
    yaml.write(
      'config.yaml',
      '\ufeffcurrent: prod\nprofiles:\n  prod: { baseUrl: https://api.example.com, apiKey: pk_1, secretCommand: [pass, show, svc/prod], protected: true }\ndefaults: { output: table, concurrency: 2 }\n',
    )
    expect((await read(yaml))?.content).toEqual({
      current: 'prod',
      profiles: new Map([
        [
          'prod',
          {
            baseUrl: 'https://api.example.com',
            apiKey: 'pk_1',
            secretCommand: ['pass', 'show', 'svc/prod'],
            protected: true,
          },
        ],
      ]),
      defaults: { output: 'table', concurrency: 2 },
    })
  })

  it('may be no more than an empty object', async () => {
    const where = world()
    where.write('config.json', '{}')
    expect((await read(where))?.content).toEqual({ current: undefined, profiles: new Map(), defaults: {} })
  })

  it.each([
    ['', 'FILE is empty'],
    [' \n\t\n', 'FILE is empty'],
    ['null', 'FILE: must be an object with current, profiles or defaults, but it is null'],
    ['[]', 'FILE: must be an object with current, profiles or defaults, but it is a list'],
    ['3', 'FILE: must be an object with current, profiles or defaults, but it is a number'],
    [`{"a": "${hidden}"`, "FILE:1:28: malformed JSON: expected ',' or '}' after property value"],
    [`{"profiles": {"a": {"apiSecret": ${hidden}}}}`, 'FILE:1:34: malformed JSON: unexpected token'],
    [`{"current": "a",\n "current": "${hidden}"}`, 'FILE:2:2: malformed JSON: duplicate key "current"'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'FILE is not UTF-8 text'],
    [Buffer.from('\ufeff{}', 'utf16le'), 'FILE is not UTF-8 text'],
  ])('%j is refused: %s', async (content, message) => {
    expect((await wrong(content)).split('\n')[0]).toBe(message)
  })

  it.each([
    ['', 'FILE is empty'],
    ['# nothing yet\n', 'FILE is empty'],
    ['null', 'FILE is empty'],
    ['- a', 'FILE: must be an object with current, profiles or defaults, but it is a list'],
    ['just words', 'FILE: must be an object with current, profiles or defaults, but it is a string'],
    [`current: "${hidden}`, 'malformed YAML'],
    [`a: [1,\nb: ${hidden}: x`, 'malformed YAML'],
    [`profiles:\n  a: { apiSecret: *${hidden} }`, 'FILE:2:39: malformed YAML: unidentified alias'],
    [`profiles:\n  a: { apiSecret: !${hidden} x }`, 'malformed YAML: unknown tag'],
    ['current: a\ncurrent: b', 'malformed YAML: duplicated mapping key'],
    ['current: !!js/function "function () {}"', 'malformed YAML: unknown tag'],
    ['a: 1\n---\nb: 2', 'malformed YAML'],
    ['\tcurrent: a', 'malformed YAML'],
  ])('YAML %j is refused: %s', async (content, message) => {
    expect(await wrong(content, 'config.yaml')).toContain(message)
  })

  it('tells the line and column of malformed YAML', async () => {
    expect(await wrong('current: a\nprofiles: [\n', 'config.yaml')).toMatch(/^FILE:\d+:\d+: malformed YAML/)
  })

  it.each([
    [{ curent: 'a' }, 'FILE: unknown key "curent"\ndid you mean "current"?'],
    [{ baseUrl: 'https://x.example' }, 'FILE: unknown key "baseUrl"\nknown: current, profiles, defaults'],
    [
      { profiles: { a: { ...good, apisecret: 'x' } } },
      'FILE: unknown key "apisecret" in profiles.a\ndid you mean "apiSecret"?',
    ],
    [{ defaults: { outptu: 'json' } }, 'FILE: unknown key "outptu" in defaults\ndid you mean "output"?'],
    [
      { profiles: { a: { ...good, defaults: { baseUrl: 'https://x.example' } } } },
      'FILE: unknown key "baseUrl" in profiles.a.defaults\nknown: output, limit, concurrency, color, progress, utc, timeout, retries',
    ],
    ['{"__proto__": {"current": "a"}}', 'FILE: unknown key "__proto__"'],
    ['{"profiles": {"__proto__": {}}}', 'FILE: a profile cannot be called "__proto__"'],
    ['{"profiles": {"constructor": {}}}', 'FILE: a profile cannot be called "constructor"'],
    [{ profiles: { ['x'.repeat(65)]: good } }, 'FILE: a profile cannot be called'],
    [{ current: '__proto__' }, 'FILE: current is not a profile name'],
    [{ profiles: [] }, 'FILE: profiles must be an object of profiles by their names'],
    [{ profiles: { a: null } }, 'FILE: profiles.a must be an object'],
    [{ profiles: { a: {} } }, 'FILE: profiles.a.baseUrl is missing'],
    [{ profiles: { a: { baseUrl: 'https://x.example' } } }, 'FILE: profiles.a.apiKey is missing'],
    [{ profiles: { a: { ...good, apiKey: 12345678 } } }, 'FILE: profiles.a.apiKey must be text; put it in quotes'],
    [
      { profiles: { a: { ...good, apiKey: 'pk\r\nX: y' } } },
      'FILE: profiles.a.apiKey must be 1 to 1,024 visible characters',
    ],
    [
      { profiles: { a: { ...good, baseUrl: `https://u:${hidden}@x.example` } } },
      'FILE: profiles.a.baseUrl is not a usable base URL: it contains a user or password',
    ],
    [{ profiles: { a: { ...good, protected: 'yes' } } }, 'FILE: profiles.a.protected must be true or false'],
    [
      { profiles: { a: { ...good, secretEnv: 'X' } } },
      'FILE: profiles.a must contain exactly one of apiSecret, secretEnv, secretFile or secretCommand',
    ],
    [{ profiles: { a: { baseUrl: good.baseUrl, apiKey: 'k' } } }, 'FILE: profiles.a must contain exactly one of'],
    [
      { profiles: { a: { baseUrl: good.baseUrl, apiKey: 'k', secretCommand: 'pass show' } } },
      'FILE: profiles.a.secretCommand must be a list of words',
    ],
    [
      { profiles: { a: { baseUrl: good.baseUrl, apiKey: 'k', secretCommand: [] } } },
      'FILE: profiles.a.secretCommand must begin with a command',
    ],
    [
      { profiles: { a: { baseUrl: good.baseUrl, apiKey: 'k', secretEnv: 'A B' } } },
      'FILE: profiles.a.secretEnv must be the name of an environment variable',
    ],
    [
      { profiles: { a: { ...good, defaults: { keepRuns: '90d' } } } },
      'FILE: unknown key "keepRuns" in profiles.a.defaults',
    ],
    [{ $import: './other.json' }, 'FILE has the key "$import", and svc imports nothing'],
  ])('%j is refused: %s', async (content, message) => {
    expect(await wrong(content)).toContain(message)
  })

  it('is YAML that wrote a key as a number or a date', async () => {
    expect(
      await wrong('profiles: { a: { baseUrl: https://x.example, apiKey: 12345678, secretEnv: X } }', 'config.yaml'),
    ).toContain('profiles.a.apiKey must be text; put it in quotes')
    expect(
      await wrong('profiles: { a: { baseUrl: https://x.example, apiKey: 2026-01-01, secretEnv: X } }', 'config.yaml'),
    ).toContain('profiles.a.apiKey must be text; put it in quotes')
  })

  it('does not swell by aliases', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'.split('').map((letter, index) => `${letter}: &${letter} [${`*${'abcdefghi'[index]},`.repeat(9)}]`),
    ]
    expect(await wrong(bomb.join('\n'), 'config.yaml')).toContain('unknown key "a"')
  })

  it('is refused when it is larger than 1 MB, unread', async () => {
    const where = world()
    const path = where.write('config.json', '{}')
    const file = openSync(path, 'r+')
    ftruncateSync(file, 100 * 1024 * 1024)
    closeSync(file)
    const started = performance.now()
    expect((await problem(() => read(where))).message).toBe(
      `${path} is larger than 1 MB, so it is no configuration of svc`,
    )
    expect(performance.now() - started).toBeLessThan(patient(1000))
  })

  it.each(['js', 'cjs', 'mjs', 'ts', 'mts', 'cts', 'JS'])('is never executed: .%s', async (ending) => {
    const where = world()
    const marker = join(where.folder, 'executed')
    const path = where.plant(`svc.config.${ending}`, `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`)
    expect((await problem(() => read(where, { config: path }))).message).toContain('svc executes no configuration file')
    expect(existsSync(marker)).toBe(false)
  })

  it.each(['svc.toml', 'svc.ini', 'svc.json5', 'svc.JSON'])('is not read under the name %s', async (name) => {
    const where = world()
    where.plant(name, '{}')
    expect((await problem(() => read(where, { config: name }))).message).toContain('svc reads .json and .yaml')
  })

  it('is not a package file', async () => {
    const where = world()
    where.plant('package.json', { svc: { current: 'a' } })
    expect((await problem(() => read(where, { config: 'package.json' }))).message).toContain('is a package file')
  })

  it('is YAML when its name has no ending', async () => {
    const where = world()
    where.plant('svcconf', 'current: a')
    expect(await read(where, { config: 'svcconf' })).toMatchObject({ content: { current: 'a' }, format: 'yaml' })
  })
})

describe('who else can reach the file', () => {
  it.each([0o644, 0o640, 0o604])('an inline secret that others can read is refused (%o)', async (mode) => {
    const where = world()
    const path = where.write('config.json', twoProfiles)
    chmodSync(path, mode)
    const error = await problem(() => read(where))
    expect(error.message).toContain(
      `contains the secret of "prod" and can be read by others (mode 0${mode.toString(8)})`,
    )
    expect(error.details.hint).toContain(`chmod 600 ${path}`)
    expect(error.exitCode).toBe(2)
  })

  it('a file without a secret may be read by others', async () => {
    const where = world()
    chmodSync(where.write('config.json', { profiles: { a: { ...good, apiSecret: undefined, secretEnv: 'X' } } }), 0o644)
    expect((await read(where))?.content.profiles.size).toBe(1)
  })

  it.each([0o666, 0o620, 0o602])('a file that others can write is refused, secret or not (%o)', async (mode) => {
    const where = world()
    const path = where.write('config.json', {})
    chmodSync(path, mode)
    const error = await problem(() => read(where))
    expect(error.message).toContain('can be written by others')
    expect(error.details.hint).toContain(`chmod go-w ${path}`)
  })

  it('quotes the path in the command that fixes it', async () => {
    const where = world()
    const path = where.plant("it's mine.json", {})
    chmodSync(path, 0o666)
    const error = await problem(() => read(where, { config: path }))
    expect(error.details.hint).toContain(`chmod go-w '${path.replace("'", "'\\''")}'`)
  })

  it.each(['.config/svc', '.config', '.'])('a folder that others can write is refused (%s)', async (name) => {
    const where = world()
    where.write('config.json', {})
    const folder = join(where.home, name)
    for (const mode of [0o777, 0o702, 0o722]) {
      chmodSync(folder, mode)
      const error = await problem(() => read(where))
      expect(error.message).toContain(`others can write to the folder ${folder} (owner id`)
      expect(error.details.hint).toContain(`chmod go-w ${folder}`)
      expect(error.exitCode).toBe(2)
      chmodSync(folder, 0o1000 | mode)
      expect(await read(where)).toBeDefined()
    }
  })

  it('the folder that a symbolic link leads to counts', async () => {
    const where = world()
    const real = join(where.folder, 'open')
    mkdirSync(join(real, 'svc'), { recursive: true })
    chmodSync(real, 0o777)
    writeFileSync(join(real, 'svc', 'config.json'), '{}', { mode: 0o600 })
    symlinkSync(real, join(where.home, '.config'))
    expect((await problem(() => read(where))).message).toContain('others can write to the folder')
    rmSync(join(where.home, '.config'))
    mkdirSync(where.config, { recursive: true })
    symlinkSync(join(real, 'svc', 'config.json'), join(where.config, 'config.json'))
    expect((await problem(() => read(where))).message).toContain(`others can write to the folder ${real}`)
  })

  it('the file that a symbolic link leads to counts', async () => {
    const where = world()
    const target = where.plant('real.json', twoProfiles)
    mkdirSync(where.config, { recursive: true })
    symlinkSync(target, join(where.config, 'config.json'))
    chmodSync(target, 0o600)
    expect((await read(where))?.content.current).toBe('staging')
    chmodSync(target, 0o644)
    expect((await problem(() => read(where))).message).toContain('can be read by others')
    rmSync(target)
    expect((await problem(() => read(where))).message).toContain('there is no such file')
  })

  it('a file of another user is refused, whoever reads it', async () => {
    const where = world()
    const [own, named] = [where.write('config.json', {}), where.plant('named.json', {})]
    chmodSync(named, 0o600)
    expect(await read(where)).toBeDefined()
    // What is root's may be named by anybody: if these files are root's, they are given away.
    if (process.geteuid?.() === 0) for (const path of [own, named]) chownSync(path, 65_534, 65_534)
    const owner = statSync(own).uid
    for (const userId of [owner + 1, 0]) {
      const other = { ...where, host: { ...where.host, userId } }
      const problems = [await problem(() => read(other)), await problem(() => read(other, { config: named }))]
      expect(problems.map(({ message }) => message)).toEqual(
        [own, named].map((path) => `${path} belongs to another user (id ${owner})`),
      )
    }
  })

  it('a file of root is read where it was named, and refused in the folder of somebody else', async () => {
    const where = world()
    const stranger = { ...where, host: { ...where.host, userId: 4242 } }
    // Of root on every system, and no configuration: it is refused for what it holds.
    expect((await problem(() => read(stranger, { config: '/etc/passwd' }))).message).toContain('must be an object')
    mkdirSync(where.config, { recursive: true })
    symlinkSync('/etc/passwd', join(where.config, 'config.json'))
    expect((await problem(() => read(stranger))).message).toContain('belongs to another user (id 0)')
  })

  it('modes mean nothing on Windows', async () => {
    const where = world({ platform: 'win32', env: { APPDATA: undefined } })
    const path = where.plant('svc.json', twoProfiles)
    chmodSync(path, 0o666)
    expect((await read(where, { config: path }))?.content.current).toBe('staging')
  })
})

describe('the project file', () => {
  async function project(where: World): Promise<unknown> {
    return (await readProjectFile(where.host, userFilePlace(where.host, {})))?.content
  }

  it('names a profile and harmless defaults', async () => {
    const where = world()
    where.plant('.svcrc.json', { profile: 'staging', defaults: { output: 'csv', limit: 'all', timeout: '5s' } })
    expect(await project(where)).toEqual({
      profile: 'staging',
      defaults: { output: 'csv', limit: 'all', timeout: '5s' },
    })
  })

  it('may be YAML', async () => {
    const where = world()
    where.plant('.svcrc.yaml', 'defaults: { retries: 0 }')
    expect(await project(where)).toEqual({ profile: undefined, defaults: { retries: 0 } })
  })

  it.each([
    [{ profiles: { prod: good } }, 'unknown key "profiles"; a project file holds only "profile" and "defaults"'],
    [{ baseUrl: 'https://evil.example' }, 'unknown key "baseUrl"'],
    [{ current: 'prod' }, 'unknown key "current"'],
    [{ secretCommand: ['sh'] }, 'unknown key "secretCommand"'],
    [{ defaults: { baseUrl: 'https://evil.example' } }, 'unknown key "baseUrl" in defaults'],
    [{ defaults: { maxRetryWait: '1d' } }, 'unknown key "maxRetryWait" in defaults'],
    [{ profile: 3 }, 'profile must be text'],
    [[], 'must be an object'],
    ['', 'is empty'],
  ])('%j is refused', async (content, message) => {
    const where = world()
    where.plant('.svcrc.json', content)
    const error = await problem(() => project(where))
    expect(error.message).toContain(message)
    expect(error.exitCode).toBe(2)
  })

  it('says how to use the file if it is meant', async () => {
    const where = world()
    const path = where.plant('.svcrc.json', { profiles: {} })
    expect((await problem(() => project(where))).details.hint).toContain(`--config ${path}`)
  })

  it('is the whole configuration when --config names it', async () => {
    const where = world()
    const path = where.plant('.svcrc.json', twoProfiles)
    chmodSync(path, 0o600)
    expect((await read(where, { config: '.svcrc.json' }))?.content.current).toBe('staging')
    expect(await readProjectFile(where.host, userFilePlace(where.host, { config: '.svcrc.json' }))).toBeUndefined()
  })

  it('is looked for in the current folder alone, which may be gone', async () => {
    const where = world()
    writeFileSync(join(where.project, '..', '.svcrc.json'), '{"profile": "x"}')
    expect(await project(where)).toBeUndefined()
    const gone = {
      ...where.host,
      cwd: () => {
        throw new Error('uv_cwd')
      },
    }
    expect(await readProjectFile(gone, undefined)).toBeUndefined()
  })
})

describe('a file that cannot be read', () => {
  it.each([
    [
      'goes through a file',
      (where: World) => join(where.plant('file', ''), 'x.json'),
      'a part of the path is not a folder',
    ],
    [
      'goes round in a circle',
      (where: World) => link(where, 'loop.json', 'loop.json'),
      'it is a symbolic link, or leads to a loop of them',
    ],
    ['is too long', (where: World) => join(where.project, `${'x'.repeat(300)}.json`), 'the name is too long'],
    ['is no path', (where: World) => `${where.project}/a\0.json`, 'the name is not one that a file can have'],
    ['is a folder', (where: World) => where.project, 'is a folder, not a configuration file'],
  ])('its name %s', async (_what, make, words) => {
    const where = world()
    const error = await problem(() => read(where, { config: make(where) }))
    expect(error).toMatchObject({ category: 'config', exitCode: 2 })
    expect(error.message).toContain(words)
  })

  it('because a folder goes round in a circle is an error, and none when a file stands in its place', async () => {
    const where = world()
    mkdirSync(join(where.config, '..'), { recursive: true })
    symlinkSync(where.config, where.config)
    expect((await problem(() => read(where))).message).toContain('it is a symbolic link, or leads to a loop of them')
    rmSync(where.config)
    writeFileSync(where.config, '')
    expect(await read(where)).toBeUndefined()
  })

  it('because no name was given', async () => {
    expect((await problem(() => read(world(), { config: '' }))).message).toBe('--config needs the name of a file')
    const where = world({ env: { SVC_CONFIG: '' } })
    where.write('config.json', { current: 'a', profiles: { a: { ...good } } })
    expect(await read(where)).toMatchObject({ format: 'json', raw: { current: 'a' } })
  })

  function link(where: World, name: string, target: string): string {
    const path = join(where.project, name)
    symlinkSync(target, path)
    return path
  }
})

describe('the limits', () => {
  it('1 MB is a file of svc, a byte more is none', async () => {
    const where = world()
    where.write('config.json', `{}${' '.repeat(1_048_574)}`)
    expect(await read(where)).toBeDefined()
    where.write('config.json', `{}${' '.repeat(1_048_575)}`)
    expect((await problem(() => read(where))).message).toContain('larger than 1 MB')
  })

  it('a folder that others can write is fine when it is sticky, or when the file was named', async () => {
    const where = world()
    const path = where.write('config.json', {})
    chmodSync(where.config, 0o1777)
    expect(await read(where)).toBeDefined()
    chmodSync(where.config, 0o777)
    expect(await read(where, { config: path })).toBeDefined()
  })

  it('there is no owner where the system has no user ids', async () => {
    const where = world()
    where.write('config.json', {})
    expect(await read({ ...where, host: { ...where.host, userId: undefined } })).toBeDefined()
  })
})

describe('which project file', () => {
  it('one that another file was named beside, or that the user’s own leads to, is a project file', async () => {
    const where = world()
    const path = where.plant('.svcrc.json', { profile: 'a' })
    const content = { profile: 'a', defaults: {} }
    where.plant('other.json', {})
    for (const place of [
      undefined,
      userFilePlace(where.host, { config: 'other.json' }),
      userFilePlace(where.host, { config: 'missing.json' }),
    ]) {
      expect((await readProjectFile(where.host, place))?.content).toEqual(content)
    }
    mkdirSync(where.config, { recursive: true })
    symlinkSync(path, join(where.config, 'config.json'))
    expect((await readProjectFile(where.host, userFilePlace(where.host, {})))?.content).toEqual(content)
  })

  it('one that was named is none, also when it is not there', async () => {
    const where = world()
    symlinkSync('nowhere', join(where.project, '.svcrc.json'))
    expect(await readProjectFile(where.host, userFilePlace(where.host, { config: '.svcrc.json' }))).toBeUndefined()
    expect((await problem(() => readProjectFile(where.host, undefined))).message).toContain('there is no such file')
  })
})

it('malformed YAML is named by its kind and place, in no other words', async () => {
  expect((await wrong('a: 1\n b: 2\n', 'config.yaml')).split('\n')[0]).toMatch(/^FILE:2:\d+: malformed YAML: [a-z ]+$/)
  expect(await wrong('current: a\ncurrent: b', 'config.yaml')).toBe('FILE:2:1: malformed YAML: duplicated mapping key')
})
