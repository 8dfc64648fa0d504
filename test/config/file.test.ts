/** The configuration file: where it is, what may stand in it, who may read it. If red, a mistake in it is taken, or a secret is shown. */
import { shownText } from '../support/shown-text.ts'
import * as fs from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readUserFile, type UserFile } from '../../src/config/file.ts'
import { findConfigPath } from '../../src/config/paths.ts'
import { table } from '../support/table.ts'
import { twoProfiles, world, type World } from '../support/config-world.ts'
import { refusal } from '../support/inputs.ts'

const hidden = 'hunter2-do-not-show'
const bare = { baseUrl: 'https://api.example.com', apiKey: 'pk_1234' }
const good = { ...bare, apiSecret: hidden }

async function read({ host }: World, SVC_CONFIG?: string): Promise<UserFile | undefined> {
  return readUserFile({ ...host, env: { ...host.env, ...(SVC_CONFIG && { SVC_CONFIG }) } })
}

const messageOf = async (action: () => unknown): Promise<string> => {
  const { exitCode, message } = await refusal(action)
  expect(exitCode).toBe(2)
  return message
}

/** The message and hint of what is wrong with a file; never with a value of it. */
async function wrong(content: unknown, name = 'config.json'): Promise<string> {
  const where = world()
  const path = where.write(name, content)
  const error = await refusal(() => read(where))
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
      expect(fs.existsSync(where.config)).toBe(false)
      const path = where.write(name, '{"current": "a"}')
      expect(await read(where)).toMatchObject({ path, content: { current: 'a' } })
    }
  })

  const places = table(`
    XDG_CONFIG_HOME=/xdg | /xdg/svc/config.json
    XDG_CONFIG_HOME=here | $CONFIG/config.json
                         | $CONFIG/config.json
    HOME=                | none`)
  it.each(places)('with %s: %s', async (variable = '', path = '') => {
    const [name = '', value] = variable.split('=')
    const where = world({ env: { [name]: value } })
    expect(findConfigPath(where.host)?.path ?? 'none').toBe(path.replace('$CONFIG', where.config))
    expect(await read(where)).toBeUndefined()
  })

  const noSettings = 'is not .json or .yaml, and svc executes no configuration file'
  it.each<readonly [string, string]>([
    ['a\0.json', 'a file cannot have this name'],
    [`${'0'.repeat(300)}.json`, 'cannot be read: the name is too long'],
    ['loop.json', 'one of a loop of links'],
    ['.', 'is not a regular file of at most 1 MB'],
    ['/dev/zero', 'is not a regular file of at most 1 MB'],
    ['package.json', ': svc is an unknown key'],
    ['svc.toml', noSettings],
    ['svc.JSON', noSettings],
    ...['js', 'cjs', 'mjs', 'ts', 'JS'].map(
      (ending) => [`svc.config.${ending}`, noSettings] as const,
    ),
  ])('%j is none, and is not executed: %s', async (name, words) => {
    const where = world()
    fs.symlinkSync('loop.json', join(where.project, 'loop.json'))
    const marker = join(where.folder, 'executed')
    for (const ending of ['js', 'cjs', 'mjs', 'ts', 'JS'])
      where.plant(`svc.config.${ending}`, `require('fs').writeFileSync('${marker}', '')`)
    for (const other of ['svc.toml', 'svc.JSON']) where.plant(other, '{}')
    fs.chmodSync(where.plant('package.json', { svc: { current: 'a' } }), 0o600)
    expect(await messageOf(() => read(where, name))).toContain(words)
    expect(fs.existsSync(marker)).toBe(false)
  })

  it('is an error when its folder goes round in a circle, and none when a file stands in its place', async () => {
    const where = world()
    fs.mkdirSync(join(where.config, '..'), { recursive: true })
    fs.symlinkSync(where.config, where.config)
    expect(await messageOf(() => read(where))).toContain('one of a loop of links')
    fs.rmSync(where.config)
    fs.writeFileSync(where.config, '')
    expect(await read(where)).toBeUndefined()
  })
})

describe('the content of the file', () => {
  it('is JSON or YAML, with or without a byte order mark', async () => {
    const prod = { ...bare, secretCommand: ['pass', 'show', 'svc/prod'], protected: true }
    const text = JSON.stringify({ current: 'prod', profiles: { prod } })
    // JSON is YAML too.
    for (const name of ['config.json', 'config.yaml']) {
      const where = world()
      where.write(name, `\ufeff${text}`)
      const profiles = new Map([['prod', prod]])
      expect(await read(where)).toMatchObject({ content: { current: 'prod', profiles } })
    }
  })

  it.each([
    ['', 'FILE: the file must be an object'],
    ['null', 'FILE: the file must be an object'],
    ['[]', 'FILE: the file must be an object'],
    [Buffer.from('\ufeff{}', 'utf16le'), 'FILE line 1: not valid JSON or YAML'],
    ['['.repeat(100_000), 'FILE line 1: not valid JSON or YAML'],
  ])('%j is refused: %s', async (content, message) => {
    expect((await wrong(content)).split('\n')[0]).toBe(message)
  })

  const badYaml = table(`
    # nothing yet                             | ^FILE: the file must be an object$
    current: "${hidden}                       | ^FILE line 2: not valid JSON or YAML\\n
    profiles:⏎  a: { apiSecret: *${hidden} }  | ^FILE line 2: not valid JSON or YAML\\n
    profiles:⏎  a: { apiSecret: !${hidden} x } | ^FILE line 2: not valid JSON or YAML\\n
    a: 1⏎---⏎b: 2                             | ^FILE: not valid JSON or YAML
    profiles: { a: { baseUrl: https://x.example, apiKey: 12345678, secretFile: x } } | apiKey must be text; put it
  `)
  it.each(badYaml)('YAML %s is refused: %s', async (content = '', message = '') => {
    const text = content.replaceAll('⏎', '\n')
    expect(await wrong(text, 'config.yaml')).toMatch(new RegExp(message))
  })

  // The text of a file, or members of its profile "a": with the others of a good one, or with all but the secret.
  const refused = `
    {"curent": "a"} → FILE: curent is an unknown key, not current or profiles
    {"baseUrl": "https://x.example"} → FILE: baseUrl is an unknown key, not current or profiles
    {"__proto__": {"current": "a"}} → __proto__ is an unknown key
    {"profiles": {"__proto__": {}}} → profiles has an invalid name: a profile name has
    {"profiles": {"${'x'.repeat(65)}": {}}} → profiles has an invalid name: a profile name has
    {"profiles": []} → profiles must be an object
    {"profiles": {"a": null}} → profiles.a must be an object
    {"profiles": {"a": {}}} → profiles.a.baseUrl is missing
    {"profiles": {"a": {"baseUrl": "https://x.example", "secretFile": "x"}}} → profiles.a.apiKey is missing
    {"$import": "./other.json"} → FILE: $import is an unknown key
    good {"apisecret": "x"} → FILE: profiles.a.apisecret is an unknown key, not baseUrl, apiKey, apiSecret,
    good {"country": "Germany"} → profiles.a.country takes a country in two letters
    good {"apiKey": 12345678} → profiles.a.apiKey must be text; put it in quotes
    good {"apiKey": "pk\\r\\nX: y"} → profiles.a.apiKey must be 1 to 1,024 visible characters
    good {"baseUrl": "https://u:${hidden}@x.example"} → baseUrl must be https:// with a host
    good {"protected": "yes"} → profiles.a.protected must be true or false
    good {"maxDelete": 1.5} → profiles.a.maxDelete must be a whole number from 0
    good {"maxDelete": -1} → profiles.a.maxDelete must be a whole number from 0
    good {"secretFile": "x"} → exactly one of apiSecret, secretFile or secretCommand
    bare {} → profiles.a must contain exactly one of
    bare {"secretCommand": "pass show"} → profiles.a.secretCommand must be a list
    bare {"secretCommand": []} → profiles.a.secretCommand must not be empty`
  it.each(refused.trim().split(/\n */))('%s', async (line) => {
    const [text = '', message] = line.split(' → ')
    const [, kind, members = ''] = /^(good|bare) (.*)/.exec(text) ?? []
    const a = { ...(kind === 'good' ? good : bare), ...(JSON.parse(members || '{}') as object) }
    expect(await wrong(kind === undefined ? text : { profiles: { a } })).toContain(message)
  })

  // A `<`, which is not in the file, ends the line of the mistake.
  const marked = `
    json | not valid | {⏎ "current": @hunter2-do-not-show<⏎}
    json | not valid | {⏎ "current": "\\q hunter2-do-not-show"<⏎}
    json | not valid | {⏎ "current": "a"⏎ "profiles": {}<⏎}
    json | not valid | {⏎ "current": "a"⏎}⏎}<
    json | the key "current" stands twice | {⏎⇥"current": "a",⏎⇥"current": "b"<⏎}
    json | the key "apiSecret" stands twice | {"profiles": {"a": {⏎"apiSecret":"x", "apiSecret":"hunter2-do-not-show"<}}}
    yaml | the key "current" stands twice | current: a⏎# words⏎current: b<
    yaml | the key "readOnly" stands twice | profiles:⏎  a:⏎    readOnly: true⏎    "readOnly": false<
    yaml | not valid | profiles:⏎  a:⏎    apiKey: x⏎   country: DE<`
  it.each(table(marked))(
    '%s: %s, with its line: %s',
    async (format = '', mistake = '', content = '') => {
      const text = content.replaceAll('⏎', '\n').replaceAll('⇥', '\t')
      const line = text.slice(0, text.indexOf('<')).split('\n').length
      const message = await wrong(text.replace('<', ''), `config.${format}`)
      expect(message).toContain(`FILE line ${line}: ${mistake}`)
    },
  )

  it('does not swell by aliases', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'
        .split('')
        .map((letter, index) => `${letter}: &${letter} [${`*${'abcdefghi'[index]},`.repeat(9)}]`),
    ]
    expect(await wrong(bomb.join('\n'), 'config.yaml')).toContain('FILE: a is an unknown key')
  })

  it('is refused unread when it is larger than 1 MB', async () => {
    const where = world()
    const path = where.write('config.json', `{}${' '.repeat(1_048_574)}`)
    expect(await read(where)).toBeDefined()
    for (const size of [1_048_577, 10 ** 12]) {
      const file = fs.openSync(path, 'r+')
      fs.ftruncateSync(file, size)
      fs.closeSync(file)
      expect(await messageOf(() => read(where))).toContain('at most 1 MB')
    }
  })
})

describe('a file that others can reach', () => {
  const elsewhere = { ...bare, secretFile: 'x' }
  const oneSecret = { profiles: { ...twoProfiles.profiles, elsewhere } }
  // A path that a shell would take apart.
  const name = "it's mine.json"
  const other = { profiles: { a: { ...bare, secretFile: 'x' } } }
  it.each<[string, object, number[], string, string]>([
    ['a secret', oneSecret, [0o640, 0o604], 'others can read ', 'chmod go-rwx'],
    ['neither', other, [0o620], 'others can write to', 'chmod go-w'],
  ])('with %s is refused', async (_, content, modes, problemOf, command) => {
    const where = world()
    const path = where.plant(name, content)
    const quoted = `'${path.replace("'", "'\\''")}'`
    for (const mode of modes) {
      fs.chmodSync(path, mode)
      const { message, details } = await refusal(() => read(where, name))
      expect(message).toContain(problemOf)
      expect(details.hint).toContain(`${command} ${quoted}`)
    }
    fs.chmodSync(path, 0o600)
    expect(await read(where, name)).toBeDefined()
  })

  it('without a secret may be read by anybody', async () => {
    const where = world()
    where.write('config.json', other, 0o644)
    expect((await read(where))?.content.profiles.size).toBe(1)
  })

  it('of another user is refused, whoever reads it', async () => {
    const where = world()
    const path = where.write('config.json', {})
    // Anybody may name root's files, so a file that belongs to root is given away here.
    if (process.geteuid?.() === 0) fs.chownSync(path, 65_534, 65_534)
    const owner = fs.statSync(path).uid
    for (const userId of [owner + 1, 0]) {
      const other = { ...where, host: { ...where.host, userId } }
      expect(await messageOf(() => read(other))).toContain(
        `${path} belongs to another user: ${owner === 65_534 ? 'nobody' : userInfo().username}`,
      )
    }
  })
})
