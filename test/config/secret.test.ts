import { shownText } from '../support/shown-text.ts'
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSecret, secretOf } from '../../src/config/secret.ts'
import type { Host } from '../../src/host.ts'
import { world, type World } from '../support/config-world.ts'
import { refusal } from '../support/inputs.ts'

const unusable = 'must be one line of 8 to 4,096 characters, without spaces or invisible characters'

const hidden = 'hunter2-do-not-show'

const readFile = (path: string, host: Host) => secretOf(host, { secretFile: path }).read()

/** A bad secret has exit code 4, and the message never shows it. */
async function wrong(action: () => unknown, exitCode = 4): Promise<string> {
  const error = await refusal(action)
  expect(error).toMatchObject({ exitCode })
  const text = shownText(error)
  expect(text).not.toContain(hidden)
  return text
}

function script(where: World, body: string, name = 'secret-tool'): string {
  const path = join(where.home, name)
  fs.writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return path
}

it('a secret is a line of text, with or without its end', () => {
  for (const text of ['abcdefgh', 'sé-crét🔑', 'x'.repeat(4096)])
    for (const end of ['', '\n', '\r\n']) expect(checkSecret(text + end, 'the secret')).toBe(text)
})

const ends = ['\n\n', '\rsecond', ' ', ' two', '\0', '\u001b[0m', '\u200b', '\u00a0', '\ufffd']
const short = ['', '\r\n', ' \n', 'abcdefg\n', '🔑'.repeat(3)]
const bad = [` ${hidden}`, `\ufeff${hidden}`, hidden + 'x'.repeat(4096)]
const all = [...short, ...bad, ...ends.map((end) => hidden + end)]
it.each(all)('a secret that is none is refused: %j', async (text) => {
  const [first] = (await wrong(() => checkSecret(text, 'the secret'))).split('\n')
  expect(first).toBe(`the secret ${unusable}`)
})

describe('a secret in a file', () => {
  it('is read through links', async () => {
    const { plant, project, host } = world()
    const real = plant('..data/secret', `${hidden}\n`)
    fs.chmodSync(real, 0o600)
    const link = join(project, 'secret')
    fs.symlinkSync(real, link)
    expect(await readFile(link, host)).toBe(hidden)
  })

  it.each([0o640, 0o620])('that others can read or write is exit 2: mode %o', async (mode) => {
    const { write, host } = world()
    const path = write('secret', hidden)
    fs.chmodSync(path, mode)
    // Of root, it would be a mounted secret.
    const own = process.geteuid?.() ?? -1
    const userId = own === 0 ? 4242 : own
    if (userId === 4242) fs.chownSync(path, userId, userId)
    const error = await refusal(() => readFile(path, { ...host, userId }))
    expect(error.exitCode).toBe(2)
    expect(error.message).toMatch(/^others can (?:read|write to) .*secret$/)
    expect(error.details.hint).toMatch(/^fix it with:\n {2}chmod go-(?:w|rwx) \S+$/)
  })

  // Mounted secrets belong to root, and every user of the container can read them.
  it.runIf(process.geteuid?.() === 0)('of root may be read by others, also by root', async () => {
    const { write, host } = world()
    const path = write('secret', hidden)
    fs.chmodSync(path, 0o444)
    for (const userId of [4242, 0]) expect(await readFile(path, { ...host, userId })).toBe(hidden)
  })

  const pipe = (where: World): string => {
    spawnSync('mkfifo', [join(where.home, 'pipe')])
    return join(where.home, 'pipe')
  }
  it.each<[string, number, (where: World) => string, string]>([
    ['is missing', 4, ({ project }) => join(project, 'none'), 'read: no such file or directory'],
    ['is too long', 4, ({ write }) => write('s', hidden.repeat(1_000)), unusable],
    ['is UTF-16', 4, ({ write }) => write('s', Buffer.from('\ufeffabc', 'utf16le')), unusable],
    ['is a pipe, which is not waited for', 2, pipe, 'pipe must be a regular file'],
    ['is huge', 2, ({ write }) => write('s', hidden.repeat(100_000)), 'no larger than 1 MB'],
  ])('that %s is exit %i', async (_, code, make, message) => {
    const where = world()
    expect(await wrong(() => readFile(make(where), where.host), code)).toContain(message)
  })
})

describe('a secret command', () => {
  const run = (where: World, words: string[]): Promise<string> =>
    secretOf(where.host, { secretCommand: words }, join(where.home, 'config.json')).read()

  it.each([
    ['may end its line as Windows does', 'printf "%s\\r\\n" "$1"', hidden, hidden],
    ['gets its words as they are', 'printf %s "$1"', '$(touch${IFS}x);*', '$(touch${IFS}x);*'],
    ['does not run in the current folder', 'echo "$PWD,$(pwd)"', '', '$HOME,$HOME'],
    [
      'has not that of the environment',
      'env | grep -i secret= || echo "$1"',
      'unhidden',
      'unhidden',
    ],
    ['may leave a process behind', 'sleep 60 & printf %s "$1"', hidden, hidden],
    ['is done when it ends', '(sleep 0.3; echo more) & echo "$1"', hidden, hidden],
    ['has nothing on standard input', 'read line || echo nothing-there', '', 'nothing-there'],
  ])('%s', async (_, body, word, secret) => {
    const where = world({ env: { SVC_API_SECRET: hidden } })
    const expected = secret.replaceAll('$HOME', where.home)
    expect(await run(where, [script(where, body), word])).toBe(expected)
    expect(fs.readdirSync(where.project)).toEqual([])
  })

  it('is looked up on PATH, whose relative folders are never those of the current folder', async () => {
    const planted = world()
    const marker = join(planted.folder, 'executed')
    for (const name of ['pass', 'bin/pass'])
      planted.plant(name, `#!/bin/sh\ntouch ${marker}\necho planted\n`)
    const before = process.cwd()
    process.chdir(planted.project)
    try {
      for (const PATH of ['', ':', '.', '.:', './bin', 'bin', ':bin:.', undefined]) {
        const where = world({ env: { PATH } })
        const told = await wrong(() => run(where, ['pass']))
        expect(told).toContain('the secret command pass does not exist')
      }
      const where = world({ env: { PATH: `.:bin:${planted.home}:/bin:/usr/bin` } })
      script(planted, 'echo the-right-one', 'pass')
      expect(await run(where, ['pass'])).toBe('the-right-one')
    } finally {
      process.chdir(before)
    }
    expect(fs.readdirSync(planted.folder)).not.toContain('executed')
  })

  it.each<[string, (where: World) => string, string]>([
    ['is missing', ({ home }) => join(home, 'none'), 'none does not exist'],
    ['is no program', ({ write }) => write('s', ''), 's cannot be started (EACCES)'],
    ['fails', (where) => script(where, 'echo "$1"; echo "$1" >&2; exit 3'), 'with exit code 3'],
    ['dies', (where) => script(where, 'kill -9 $$'), 'ended with a signal'],
    ['never stops printing', (where) => script(where, 'exec cat /dev/zero'), 'ended with '],
    ['prints bytes', (where) => script(where, "printf '\\377'"), unusable],
  ])('that %s is exit 4', async (_, program, message) => {
    const where = world()
    expect(await wrong(() => run(where, [program(where), hidden]))).toContain(message)
  })
})
