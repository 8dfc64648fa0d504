import { build } from 'esbuild'
import { spawn as spawnPty } from '@lydell/node-pty'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveIn, show } from './screen.ts'

/** A program that asks on its real terminal and says what came of it; stdin and stdout are free for data. */
const program = `
import { ask, askText, askSecret } from '../../src/output/questions/prompt.ts'
import { askChoice } from '../../src/output/questions/picker.ts'
import { nodeHost } from '../../src/host.ts'
const [what, ...words] = process.argv.slice(2)
const terminal = nodeHost(process).terminal()
const stop = new AbortController()
const questions = {
  'yes-no': () => ask({ kind: 'yes-no', message: words[0] }, terminal),
  typed: () => ask({ kind: 'typed', message: words[0], expected: words[1] }, terminal),
  secret: () => askSecret('API secret:', { validate: (text) => text.length < 8 ? 'fewer than 8' : undefined }, terminal),
  choose: () => askChoice('Which?', words.map((name, n) => ({ value: String(n), name, detail: name })), terminal),
  two: async () => [await askText('first:', {}, terminal), await askText('second:', {}, terminal)],
  stopped: () => { setTimeout(() => stop.abort(new Error('stopped by a signal')), 300); return ask({ kind: 'yes-no', message: words[0] }, terminal, stop.signal) },
}
try {
  console.log('result ' + JSON.stringify(await questions[what]()))
} catch (error) {
  console.log('result ' + JSON.stringify([error.category, error.exitCode, error.message]))
} finally {
  terminal.close()
}
`

let folder = ''
let bundle = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-prompt-'))
  bundle = join(folder, 'prompt.mjs')
  await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    outfile: bundle,
    logLevel: 'error',
  })
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Runs the program in a shell on a pseudo terminal; types each answer when its question has been asked. The shell ends a moment
 * after its last word, which a terminal that is closed at once would lose.
 */
async function asked(
  args: readonly string[],
  answers: readonly [before: string, keys: string, columns?: number][],
  env: Readonly<Record<string, string>> = {},
): Promise<{ result: unknown; raw: string; settings: string }> {
  const command = `"$0" "$@"; stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig)' | tr '\\n' ' '; echo done; sleep 0.2`
  const pty = spawnPty('/bin/sh', ['-c', command, process.execPath, bundle, ...args], {
    cols: 100,
    rows: 30,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '', ...env },
  })
  let raw = ''
  const left = [...answers]
  pty.onData((data) => {
    raw += data
    const next = left[0]
    if (next !== undefined && raw.includes(next[0])) {
      left.shift()
      // Keys that were struck before the question are thrown away by the prompt.
      setTimeout(() => {
        const [, keys, columns] = next
        if (columns !== undefined) pty.resize(columns, 30)
        pty.write(keys)
      }, 60)
    }
  })
  await new Promise<void>((resolve) => pty.onExit(() => resolve()))
  const result = /result (.*?)\r?\n/.exec(raw)?.[1]
  return {
    result: result === undefined ? undefined : JSON.parse(result),
    raw,
    settings: raw.trim().split(/\r?\n/).at(-1) ?? '',
  }
}

const sane = 'isig icanon echo done'

describe('on a real terminal', () => {
  test.each([
    ['y\r', true],
    ['\r', false],
    ['n\r', false],
    ['NO\r', false],
    ['yes\r', true],
  ])('yes or no: %j is %j', async (keys, answer) => {
    const { result, raw, settings } = await asked(['yes-no', 'Delete it?'], [['(y/N)', keys]])
    expect([result, settings]).toEqual([answer, sane])
    expect((await show(raw, { columns: 100 })).lines[0]).toMatch(/^\? Delete it\? (Yes|No)$/)
  })

  test.each([
    ['1234\r', true],
    ['1,234\r', true],
    ['\r', false],
  ])('typed: %j for 1234 is %j', async (keys, answer) => {
    const { result } = await asked(['typed', 'Delete 1,234 contacts?', '1234'], [['Type 1234:', keys]])
    expect(result).toBe(answer)
  })

  test('what is neither yes nor no is asked again, with an empty line', async () => {
    const { result, raw } = await asked(
      ['yes-no', 'Delete it?'],
      [
        ['(y/N)', 'maybe\r'],
        ['answer y or n', 'y\r'],
      ],
    )
    expect(result).toBe(true)
    expect((await show(raw, { columns: 100 })).lines[0]).toBe('? Delete it? Yes')
    const again = await show(raw.slice(0, raw.lastIndexOf('answer y or n') + 'answer y or n'.length), { columns: 100 })
    expect(again.lines.slice(0, 2)).toEqual(['? Delete it? (y/N)', '> answer y or n'])
  })

  test.each([
    ['1,2,34', '1234', true],
    ['123', '1,234', true],
    ['123', '123', false],
    ['123', '', false],
  ])('a wrong count is told and asked for once more: %j, then %j', async (first, second, answer) => {
    const { result, raw } = await asked(
      ['typed', 'Delete 1,234 contacts?', '1234'],
      [
        ['Type 1234:', `${first}\r`],
        ['you typed', `${second}\r`],
      ],
    )
    expect(result).toBe(answer)
    expect(raw).toContain(`you typed "${first}"; to confirm, type 1234`)
  })

  test('an accessible terminal is asked line by line, and nothing is drawn anew', async () => {
    const env = { ACCESSIBLE: '1' }
    const typed = await asked(
      ['typed', 'Delete 6 contacts?', '6'],
      [
        ['Type 6: ', '5\n'],
        ['you typed "5"; to confirm, type 6', '6\n'],
      ],
      env,
    )
    expect([typed.result, typed.settings]).toEqual([true, sane])
    expect(typed.raw).not.toContain('\u001b')
    const yes = await asked(
      ['yes-no', 'Delete it?'],
      [
        ['(y/N) ', 'maybe\n'],
        ['answer y or n', 'y\n'],
      ],
      env,
    )
    expect(yes.result).toBe(true)
    expect(yes.raw).not.toContain('\u001b')
    const end = await asked(['yes-no', 'Delete it?'], [['(y/N) ', '\u0004']], env)
    expect(end.result).toMatchObject(['confirm', 9, expect.stringContaining('input ended') as string])
    const two = await asked(
      ['two'],
      [
        ['first: ', 'a\n'],
        ['second: ', 'b\n'],
      ],
      env,
    )
    expect(two.result).toEqual(['a', 'b'])
    const stopped = await asked(['stopped', 'Delete it?'], [], env)
    expect([stopped.result, stopped.settings]).toEqual([[null, null, 'stopped by a signal'], sane])
  })

  test('a secret is not shown', async () => {
    const { result, raw } = await asked(['secret'], [['API secret:', 'hunter2-long\r']])
    expect(result).toBe('hunter2-long')
    expect(raw.split('result')[0]).not.toContain('hunter2')
  })

  test.each([{}, { ACCESSIBLE: '1' }])('a refused secret leaves nothing behind: %j', async (env) => {
    const answers: [string, string][] = [
      ['API secret:', 'short\r'],
      ['fewer than 8', 'long-enough-1\r'],
    ]
    const { result, raw } = await asked(['secret'], answers, env)
    expect(result).toBe('long-enough-1')
    expect(raw.split('result')[0]).not.toMatch(/short|enough/)
  })

  test('two questions after each other', async () => {
    expect(
      (
        await asked(
          ['two'],
          [
            ['first:', 'a\r'],
            ['second:', 'b\r'],
          ],
        )
      ).result,
    ).toEqual(['a', 'b'])
  })

  test('Ctrl-C is an interruption, and the terminal is as it was', async () => {
    const { result, settings, raw } = await asked(['yes-no', 'Delete it?'], [['(y/N)', '\u0003']])
    expect([result, settings]).toEqual([['interrupted', 130, 'interrupted; nothing was sent'], sane])
    expect(raw).toContain('\u001b[?25h')
  })

  test('Ctrl-D is no answer', async () => {
    const { result, settings } = await asked(['yes-no', 'Delete it?'], [['(y/N)', '\u0004']])
    expect(result).toMatchObject(['confirm', 9, expect.stringContaining('input ended') as string])
    expect(settings).toBe(sane)
  })

  test('what is drawn again fits a window that became narrower', async () => {
    const { raw } = await asked(
      ['yes-no', 'Delete all of these contacts from all of these lists?'],
      [
        ['(y/N)', 'y', 40],
        ['(y/N)', '\r'],
      ],
    )
    expect(raw).toContain('? Delete all of these contacts from all\r\nof these lists? Yes')
  })

  test('a signal from outside takes the question away', async () => {
    const { result, settings } = await asked(['stopped', 'Delete it?'], [])
    expect([result, settings]).toEqual([[null, null, 'stopped by a signal'], sane])
  })

  test('a hostile name in the question is text', async () => {
    const { raw } = await asked(['yes-no', 'Delete "\u001b]0;owned\u0007\u202e\n"?'], [['(y/N)', '\r']])
    const screen = await show(raw, { columns: 100 })
    expect(screen.lines[0]).toContain('Delete "\\u{1b}]0;owned\\u{7}\\u{202e}\\u{a}"?')
    expect(screen.events.filter((event) => !event.startsWith('csi'))).toEqual([])
    expect(liveIn(stripVTControlCharacters(raw).replaceAll('\r', ''))).toEqual([])
  })

  test('hostile names to choose from are text, in a list and line by line', async () => {
    const name = '\u001b]0;owned\u0007\u001b[2J\u202e\r\n> fake'
    for (const [env, before, keys] of [
      [{}, 'Enter to choose', '\r'],
      [{ ACCESSIBLE: '1' }, 'search for:', '1\r'],
    ] as const) {
      const { result, raw, settings } = await asked(['choose', name, 'other'], [[before, keys]], env)
      expect([result, settings]).toEqual(['0', sane])
      const screen = await show(raw, { columns: 100 })
      expect(screen.events.filter((event) => !event.startsWith('csi'))).toEqual([])
      expect(raw).not.toContain('\u001b[2J')
      expect(liveIn(stripVTControlCharacters(raw).replaceAll('\r', ''))).toEqual([])
    }
  })

  test.each([
    ['\u0003', ['interrupted', 130, 'interrupted; nothing was sent']],
    ['\u0004', ['confirm', 9, expect.stringContaining('input ended') as string]],
  ])('a choice ends on %j, and the terminal is as it was', async (keys, ending) => {
    const { result, settings } = await asked(['choose', 'one', 'two'], [['Enter to choose', keys]])
    expect([result, settings]).toEqual([ending, sane])
  })
})
