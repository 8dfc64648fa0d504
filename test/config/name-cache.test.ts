/** Names of lists and employees, kept from answers for tab completion. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { defineCommand } from '../../src/cli/command.ts'
import { noView, text } from '../../src/output/result.ts'
import { readCommandLine } from '../../src/program/command-line.ts'
import { candidates } from '../../src/program/completion.ts'
import { treeOf } from '../../src/program/tree.ts'
import { realHost } from '../host.ts'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, as, folder, env } = await createSandboxWorld()
const day = 24 * 60 * 60 * 1000
const atTerminal = { isTerminal: { stderr: true } }
const cache = join(folder, '.cache/svc')

async function values(
  words: readonly string[],
  options: Parameters<typeof svc>[1] = {},
): Promise<string[]> {
  const { code, stdout, stderr } = await svc(['__complete', '--', ...words], options)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
    .split('\n')
    .flatMap((line) => line.split('\t')[0] ?? [])
    .slice(0, -1)
}

function file(): string {
  const [name = ''] = readdirSync(cache)
  return join(cache, name)
}

test('without a terminal nothing is kept', async () => {
  await svc('lists list --limit all')
  expect(existsSync(cache)).toBe(false)
})

describe('at a terminal', () => {
  beforeAll(async () => {
    await svc('lists list --limit all', atTerminal)
    await svc('employees list', atTerminal)
  })

  test('an option of any name and any verb is completed by what it takes', async () => {
    const close = defineCommand({
      path: 'close',
      summary: 'close tickets',
      options: {
        by: { value: 'who', takes: 'employee', summary: 'who closes them' },
        country: { value: 'word', summary: 'a word' },
        reasons: {
          value: 'list',
          suggestions: ['spam', 'done'],
          isSeparated: true,
          summary: 'why',
        },
      },
      effect: 'reads',
      shows: noView,
      run: () => text(''),
    })
    const offered = async (option: string, word = '') => {
      const line = await readCommandLine(treeOf(close), [option])
      const found = await candidates(line, word, host)
      return found === 'files' ? found : found.map(([value]) => value)
    }
    const host = { ...realHost, env }
    expect(await offered('--by')).toContain('Robin Berg')
    expect(await offered('--country')).toEqual([])
    expect(await offered('--reasons', 'spam,')).toEqual(['spam,done'])
  })

  test('names, and nothing else, in a file for this user alone', () => {
    const text = readFileSync(file(), 'utf8')
    expect([statSync(cache).mode & 0o777, statSync(file()).mode & 0o777]).toEqual([0o700, 0o600])
    expect(text).toContain('"VIP"')
    expect(text).not.toMatch(/pk_|sk_|6400172181a0fa394c0000a0/)
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['lists', 'employees'])
    expect(readdirSync(cache)).toHaveLength(1)
  })

  test('briefly the newest 20 come before a letter is typed, with a line that says so', async () => {
    const brief = async (...words: string[]) =>
      (await svc(['__complete', '--brief', ...words])).stdout.split('\n')
    const newest = (await values(['lists', 'get', ''])).slice(0, 20)
    const lines = await brief('lists', 'get', '')
    expect(lines[0]).toMatch(/^:note\tthe newest 20 of \d+; type a letter for the others$/)
    expect(lines.slice(1, -1).map((line) => line.split('\t')[0])).toEqual(newest)
    expect((await brief('lists', 'get', 'C')).length).toBeGreaterThan(200)
    expect((await brief('lists', 'list', '--fields', ''))[0]).not.toContain(':note')
  })

  test('are neither kept nor read through a symbolic link', async () => {
    const home = mkdtempSync(join(folder, 'linked-'))
    const env = { XDG_CACHE_HOME: join(home, 'cache') }
    await svc('lists list --limit all', { ...atTerminal, env })
    renameSync(join(home, 'cache/svc'), join(home, 'elsewhere'))
    symlinkSync(join(home, 'elsewhere'), join(home, 'cache/svc'))
    expect(await values(['lists', 'get', ''], { env })).not.toContain('VIP')
    const [name = ''] = readdirSync(join(home, 'elsewhere'))
    unlinkSync(join(home, 'elsewhere', name))
    await svc('lists list --limit all', { ...atTerminal, env })
    expect(readdirSync(join(home, 'elsewhere'))).toEqual([])
  })

  test('are offered where a list or an employee is named, and the service is not asked', async () => {
    const before = sandbox.requests.length
    expect(await values(['lists', 'get', ''])).toContain('VIP')
    expect(await values(['lists', 'add-contacts', 'name:'])).toContain('name:VIP')
    expect(await values(['tickets', 'assign', '--to', ''])).toContain('Robin Berg')
    expect(await values(['tickets', 'assign', '--if-assignee='])).toContain(
      '--if-assignee=Robin Berg',
    )
    expect(await values(['contacts', 'delete', ''])).not.toContain('VIP')
    expect(sandbox.requests.length).toBe(before)
  })

  test('not to another key, after a day, or with SVC_NO_CACHE', async () => {
    const words = ['lists', 'get', '']
    expect(await values(words, { env: as('second-company') })).toEqual([])
    expect(await values(words, { now: Date.now() + day + 1000 })).toEqual([])
    expect(await values(words, { env: { SVC_NO_CACHE: '1' } })).toEqual([])
    expect(await values(words)).toContain('VIP')
    await svc('lists create --name Uncached', { ...atTerminal, env: { SVC_NO_CACHE: '1' } })
    expect(await values(words)).not.toContain('Uncached')
  })

  test('names that were kept by a clock that is ahead are not offered until then', async () => {
    const env = { XDG_CACHE_HOME: join(folder, 'ahead') }
    const now = Date.now() + day / 2
    await svc('lists list', { ...atTerminal, env, now })
    expect(await values(['lists', 'get', ''], { env })).toEqual([])
    expect(await values(['lists', 'get', ''], { env, now: now + 1000 })).toContain('Newsletter')
  })

  test('5,000 names are kept, those of the last answer first', async () => {
    const env = { XDG_CACHE_HOME: join(folder, 'many') }
    await svc('lists list', { ...atTerminal, env })
    const [name = ''] = readdirSync(join(folder, 'many/svc'))
    const path = join(folder, 'many/svc', name)
    const lists = Array.from({ length: 5000 }, (_, n) => [`Old ${n}`, Date.now()])
    writeFileSync(path, JSON.stringify({ lists, employees: [] }))
    await svc('lists list', { ...atTerminal, env })
    const names = await values(['lists', 'get', ''], { env })
    expect([names.length, names.at(100), names.at(-1)]).toEqual([5000, 'Old 0', 'Old 4899'])
  })

  test('nothing is offered from a file of more than 2 MB', async () => {
    const env = { XDG_CACHE_HOME: join(folder, 'large') }
    await svc('lists list', { ...atTerminal, env })
    const [name = ''] = readdirSync(join(folder, 'large/svc'))
    const path = join(folder, 'large/svc', name)
    const good = readFileSync(path, 'utf8')
    writeFileSync(path, good.padEnd(2 << 20))
    expect(await values(['lists', 'get', ''], { env })).toContain('Newsletter')
    writeFileSync(path, good.padEnd((2 << 20) + 1))
    expect(await values(['lists', 'get', ''], { env })).toEqual([])
  })

  test('a name that could be taken for something else is prefixed; one that a terminal would obey is left out', async () => {
    await svc(['lists', 'create', '--name', '-Sale'])
    await svc(['lists', 'create', '--name', '640000000000000000000001'])
    await svc(['api', 'lists', '-f', 'name=evil\u001b[2J', '-f', 'description='])
    await svc('lists list', atTerminal)
    const names = await values(['lists', 'get', ''])
    expect(names).toEqual(expect.arrayContaining(['name:-Sale', 'name:640000000000000000000001']))
    expect(names.join('')).not.toContain('evil')
  })

  test('an employee without a name is not offered', async () => {
    const words = ['tickets', 'assign', '--to', '']
    expect(await values(words)).not.toContain('')
    const answer = { data: [{ id: '640000000000000000000001', firstName: '', lastName: null }] }
    const server = await answering((socket) => socket.write(http(200, JSON.stringify(answer))))
    const env = { SVC_BASE_URL: server.baseUrl }
    expect((await svc('employees list', { ...atTerminal, env })).code).toBe(0)
    expect(await values(words, { env })).toEqual([])
  })

  test('a file that others could have written, a link and damage offer nothing, and are replaced', async () => {
    const path = file()
    const good = readFileSync(path)
    chmodSync(path, 0o644)
    expect(await values(['lists', 'get', ''])).toEqual([])
    chmodSync(path, 0o600)
    for (const text of ['{', '[]', 'null', '{"lists":[["x"],"y",["z","1"]]}', '']) {
      writeFileSync(path, text)
      expect([text, await values(['lists', 'get', ''])]).toEqual([text, []])
    }
    const elsewhere = join(folder, 'elsewhere.json')
    writeFileSync(elsewhere, good, { mode: 0o600 })
    unlinkSync(path)
    symlinkSync(elsewhere, path)
    expect(await values(['lists', 'get', ''])).toEqual([])
    await svc('lists list', atTerminal)
    expect(readFileSync(elsewhere)).toEqual(good)
    expect(await values(['lists', 'get', ''])).toContain('Newsletter')
  })

  test('a folder that cannot be made fails no command', async () => {
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, '')
    const { code, stderr } = await svc('lists list --limit 1', {
      ...atTerminal,
      env: { XDG_CACHE_HOME: blocked },
    })
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  })
})
