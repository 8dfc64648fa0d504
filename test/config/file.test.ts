import { shownText } from '../support/shown-text.ts'
import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readUserFile, type UserFile } from '../../src/config/file.ts'
import { findConfigPath } from '../../src/config/places.ts'
import { table } from '../support/table.ts'
import { twoProfiles, world, type World } from '../support/config-world.ts'
import { refusal } from '../support/inputs.ts'

/** A secret in the file, which no error may show. */
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

/** Writes a file that svc must refuse. Returns the message and hint, with FILE for its path. */
async function refusalOf(content: unknown, name = 'config.json'): Promise<string> {
  const where = world()
  const path = where.write(name, content)
  const error = await refusal(() => read(where))
  expect(error).toMatchObject({ category: 'usage', exitCode: 2 })
  const text = shownText(error)
  expect(text).toContain(path)
  expect(text).not.toContain(hidden)
  return text.replaceAll(path, 'FILE')
}

describe('where the file is', () => {
  it.each(['config.json', 'config.yaml', 'config.yml'])('is %s, JSON or YAML', async (name) => {
    const where = world({ env: { SVC_CONFIG: '' } })
    expect(await read(where)).toBeUndefined()
    expect(fs.existsSync(where.config)).toBe(false)
    const prod = { ...bare, secretCommand: ['pass', 'show', 'svc/prod'], protected: true }
    const text = JSON.stringify({ current: 'prod', profiles: { prod } })
    const profiles = new Map([['prod', prod]])
    // JSON is YAML too, and a byte order mark may come first.
    const path = where.write(name, `\ufeff${text}`)
    expect(await read(where)).toMatchObject({ path, content: { current: 'prod', profiles } })
  })

  const places = table(`
    XDG_CONFIG_HOME=/xdg | /xdg/svc/config.json
    XDG_CONFIG_HOME=here | $CONFIG/config.json
                         | $CONFIG/config.json`)
  it.each(places)('with %s: %s', async (variable = '', path = '') => {
    const [name = '', value] = variable.split('=')
    const where = world({ env: { [name]: value } })
    expect(findConfigPath(where.host)?.path).toBe(path.replace('$CONFIG', where.config))
    expect(await read(where)).toBeUndefined()
  })

  const named = table(`
    a\0.json                   |                              | cannot be read:
    ${'0'.repeat(300)}.json    |                              | cannot be read: name too long
    .                          |                              | must be a regular file, and no larger than 1 MB
    /dev/zero                  |                              | must be a regular file, and no larger than 1 MB
    package.json               | {"svc": {"current": "a"}}    | : svc is an unknown key
    svc.toml                   | a = 1                        | : not valid JSON or YAML
    svc.config.js              | globalThis.isExecuted = true | : not valid JSON or YAML
    svc.config.ts              | globalThis.isExecuted = true | : not valid JSON or YAML`)
  it.each(named)('SVC_CONFIG=%j is refused, and nothing is executed', async (...row) => {
    const [name = '', content = '', words] = row
    const where = world()
    if (content !== '') where.plant(name, content)
    expect(await messageOf(() => read(where, name))).toContain(words)
    expect(globalThis).not.toHaveProperty('isExecuted')
  })
})

describe('the content of the file', () => {
  it.each([
    ['', 'FILE: the file must be an object'],
    ['null', 'FILE: the file must be an object'],
    ['[]', 'FILE: the file must be an object'],
    [Buffer.from('\ufeff{}', 'utf16le'), 'FILE: not valid JSON or YAML'],
    [Buffer.from('{"current": "\xff"}', 'latin1'), 'FILE: not valid JSON or YAML'],
    ['['.repeat(100_000), 'FILE line 1: not valid JSON or YAML'],
  ])('%j is refused: %s', async (content, message) => {
    expect((await refusalOf(content)).split('\n')[0]).toBe(message)
  })

  const badYaml = table(`
    current: "${hidden}                       | ^FILE line 2: not valid JSON or YAML\\n
    profiles:⏎  a: { apiSecret: *${hidden} }  | ^FILE line 2: not valid JSON or YAML\\n
    profiles:⏎  a:⏎    apiSecret: abc #${hidden} | ^FILE: not valid JSON or YAML
    profiles: { a: { baseUrl: https://x.example, apiKey: k, apiSecret:${hidden}: x } } | ^FILE: profiles.a.… is an unknown key
    profiles: { ${hidden}: { apiSecret: x }, ${hidden}: {} } | ^FILE line 1: a key appears twice
    a: 1⏎---⏎b: 2                             | ^FILE: not valid JSON or YAML
    profiles: { a: { baseUrl: https://x.example, apiKey: 12345678, secretFile: x } } | apiKey must be text; put it
  `)
  it.each(badYaml)('YAML %s is refused: %s', async (content = '', message = '') => {
    const text = content.replaceAll('⏎', '\n')
    expect(await refusalOf(text, 'config.yaml')).toMatch(new RegExp(message))
  })

  it('is YAML with comments, also about a secret', async () => {
    const where = world()
    const lines = ['# apiSecret: old # one', 'current: a # apiSecret: x # y', 'profiles:', '  a:']
    for (const [key, value] of Object.entries(bare)) lines.push(`    ${key}: ${value} # ${key}`)
    lines.push('    # apiSecret: before # it', '    apiSecret: "abc #defgh" # quoted')
    where.write('config.yaml', lines.join('\n'))
    const a = { ...bare, apiSecret: 'abc #defgh' }
    expect(await read(where)).toMatchObject({ content: { profiles: new Map([['a', a]]) } })
  })

  const wrongFiles = table(`
    {"${'x'.repeat(21)}": "a"}             | FILE: … is an unknown key; svc knows current, profiles
    {"baseUrl": "https://x.example"}          | FILE: baseUrl is an unknown key; svc knows current, profiles
    {"__proto__": {"current": "a"}}           | __proto__ is an unknown key
    {"profiles": []}                          | profiles must be an object
    {"profiles": {"__proto__": {}}}           | profiles has an invalid name: a profile name has
    {"profiles": {"${'x'.repeat(65)}": {}}}   | profiles has an invalid name: a profile name has
    {"profiles": {"a": null}}                 | profiles.a must be an object
    {"profiles": {"a": {}}}                   | profiles.a.baseUrl is missing
    {"profiles": {"a": {"baseUrl": "https://x.example", "secretFile": "x"}}} | profiles.a.apiKey is missing
    {"profiles": {"a": {"baseUrl": "https://x.example", "apiKey": "k"}}} | profiles.a must contain exactly one of`)
  it.each(wrongFiles)('%s is refused: %s', async (text = '', message = '') => {
    expect(await refusalOf(text)).toContain(message)
  })

  const wrongMembers = table(`
    {"apisecret": "x"}             | apisecret is an unknown key; svc knows baseUrl, apiKey, apiSecret,
    {"country": "Germany"}         | country takes a two-letter country code
    {"apiKey": 12345678}           | apiKey must be text; put it in quotes
    {"apiKey": "pk\\r\\nX: y"}     | apiKey must be 1 to 1,024 visible characters
    {"baseUrl": "https://u:${hidden}@x.example"} | baseUrl must start with https:// and have a host
    {"protected": "yes"}           | protected must be true or false
    {"maxDelete": 1.5}             | maxDelete must be a whole number, 0 or more
    {"maxDelete": -1}              | maxDelete must be a whole number, 0 or more
    {"secretCommand": "pass show"} | secretCommand must be a list
    {"secretCommand": []}          | secretCommand must not be empty
    {"baseUrl": "\${HOST}"}        | baseUrl contains a variable, and svc does not expand variables; use secretCommand
    {"baseUrl": "https://\${HOST}/crm"} | baseUrl contains a variable
    {"apiKey": "\${KEY}"}          | apiKey contains a variable
    {"apiSecret": "\${SECRET}"}    | apiSecret contains a variable, and svc does not expand variables; use secretCommand, or set SVC_BASE_URL, SVC_API_KEY, and SVC_API_SECRET
    {"apiSecret": "x", "secretFile": "\${HOME}/secret"} | secretFile contains a variable
    {"secretFile": "x"}            | must contain exactly one of apiSecret, secretFile, or secretCommand`)
  it.each(wrongMembers)('%s in a good profile is refused: %s', async (text = '', message = '') => {
    const a = { ...good, ...(JSON.parse(text) as object) }
    const told = await refusalOf({ profiles: { a } })
    expect(told).toContain('FILE: profiles.a')
    expect(told).toContain(message)
  })

  // A `<`, which is left out of the file, marks the line with the mistake.
  const marked = `
    json | not valid | {⏎ "current": @${hidden}<⏎}
    json | not valid | {⏎ "current": "a" // ${hidden}<⏎}
    json | a key appears twice | {⏎⇥"current": "a",⏎⇥"current": "b"<⏎}
    json | a key appears twice | {"profiles": {"a": {⏎"apiSecret":"x", "apiSecret":"${hidden}"<}}}
    yaml | a key appears twice | profiles:⏎  a:⏎    readOnly: true⏎    "readOnly": false<
    yaml | not valid | profiles:⏎  a:⏎    apiKey: x⏎   country: DE<`
  it.each(table(marked))('%s: %s is told with its line: %s', async (...row) => {
    const [format = '', mistake = '', content = ''] = row
    const text = content.replaceAll('⏎', '\n').replaceAll('⇥', '\t')
    const line = text.slice(0, text.indexOf('<')).split('\n').length
    const message = await refusalOf(text.replace('<', ''), `config.${format}`)
    expect(message).toContain(`FILE line ${line}: ${mistake}`)
  })

  it('is refused unread when it is larger than 1 MB', async () => {
    const where = world()
    const path = where.write('config.json', `{}${' '.repeat(1_048_574)}`)
    expect(await read(where)).toBeDefined()
    for (const size of [1_048_577, 10 ** 12]) {
      const file = fs.openSync(path, 'r+')
      fs.ftruncateSync(file, size)
      fs.closeSync(file)
      expect(await messageOf(() => read(where))).toContain('no larger than 1 MB')
    }
  })
})

describe('a file that is refused', () => {
  const withoutSecret = { profiles: { elsewhere: { ...bare, secretFile: 'x' } } }
  const withSecret = { profiles: { ...twoProfiles.profiles, ...withoutSecret.profiles } }
  it.each([
    ['a secret, which others can read', withSecret, 0o640, 0o600, 'read', 'go-rwx'],
    ['a secret, which anybody can read', withSecret, 0o604, 0o600, 'read', 'go-rwx'],
    ['no secret, which others can change', withoutSecret, 0o620, 0o644, 'write to', 'go-w'],
  ])('has %s', async (_, content, mode, then, act, fix) => {
    const where = world()
    // A path that a shell would take apart.
    const name = "it's mine.json"
    const path = where.plant(name, content)
    fs.chmodSync(path, mode)
    const { message, details } = await refusal(() => read(where, name))
    expect(message).toContain(`others can ${act} `)
    expect(details.hint).toContain(`chmod ${fix} "${path}"`)
    fs.chmodSync(path, then)
    expect((await read(where, name))?.content.profiles.has('elsewhere')).toBe(true)
  })

  it('is one of another user, even if root reads it', async () => {
    const where = world()
    const path = where.write('config.json', {})
    // Anybody may name root's files, so a file that belongs to root is given away here.
    if (process.geteuid?.() === 0) fs.chownSync(path, 65_534, 65_534)
    const owner = fs.statSync(path).uid
    for (const userId of [owner + 1, 0]) {
      const other = { ...where, host: { ...where.host, userId } }
      expect(await messageOf(() => read(other))).toContain(`${path} belongs to another user: `)
    }
  })
})
