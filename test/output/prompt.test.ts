import { spawn as spawnPty } from '@lydell/node-pty'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { buildBulk } from '../runs/child.ts'
import { atEnd } from '../ending.ts'
import { liveIn, show } from './screen.ts'

/** A program that asks on its real terminal and says what came of it; stdin and stdout are free for data. */
const program = `
import { ask, askChoice, askText, nodeHost } from './bulk.mjs'
const [what, ...words] = process.argv.slice(2)
const open = () => nodeHost(process).terminal()
const terminal = open()
const stop = new AbortController()
const questions = {
  'yes-no': () => ask({ kind: 'yes-no', message: words[0] }, terminal),
  typed: () => ask({ kind: 'typed', message: words[0], expected: words[1] }, terminal),
  secret: () => askText('API secret:', terminal, undefined, true),
  choose: () => askChoice('Which?', words.map((name, n) => ({ value: String(n), name, detail: name })), terminal),
  two: async () => {
    const first = await askText('first:', terminal)
    terminal.close()
    const again = open()
    return [first, await askText('second:', again).finally(() => again.close())]
  },
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

const built = buildBulk('output/questions/prompt.ts', 'host.ts')
atEnd(() => built.remove())
const bundle = built.write(program)

/**
 * Runs the program in a shell on a pseudo terminal; types each answer when its question has been asked. The shell ends a moment
 * after its last word, which a terminal that is closed at once would lose.
 */
async function asked(
  args: readonly string[],
  answers: readonly [before: string, keys: string][],
  TERM = 'xterm',
) {
  const command = `"$0" "$@"; stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig)' | tr '\\n' ' '; echo done; sleep 0.2`
  const pty = spawnPty('/bin/sh', ['-c', command, process.execPath, bundle, ...args], {
    cols: 100,
    rows: 30,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '', TERM },
  })
  let raw = ''
  const left = [...answers]
  pty.onData((data) => {
    raw += data
    const next = left[0]
    if (next !== undefined && raw.includes(next[0])) {
      left.shift()
      // Keys that were struck before the question are thrown away by the prompt.
      setTimeout(() => pty.write(next[1]), 60)
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
const noSecret = /^(?!.*enough)/s
const interrupted = ['interrupted', 130, 'interrupted; nothing was sent']
const ended = ['confirm', 2, expect.stringContaining('input ended') as string]
const wrong = ['confirm', 2, 'you typed "123" instead of 1234; nothing was sent']
const stopped = [null, null, 'stopped by a signal']
const deletes = ['yes-no', 'Delete it?']
const typed = ['typed', 'Delete 1,234?', '1234']
const several = ['choose', 'one', 'two']
const stops = ['stopped', 'Delete it?']
/** Ctrl-U takes the wrong answer away. */
const maybe = { '(y/N)': 'maybe\r', 'answer y or n': '\u0015y\r' }

/** Words of the program, answers by what was asked, the result, and what was drawn meanwhile. */
test.each<[string, string[], Record<string, string>, unknown, RegExp?]>([
  ['yes', deletes, { '(y/N)': 'y\r' }, true],
  ['no', deletes, { '(y/N)': 'NO\r' }, false],
  ['no, by Enter', deletes, { '(y/N)': '\r' }, false],
  ['neither, and yes', deletes, maybe, true],
  ['a count', typed, { 'Type 1234:': '1,234\r' }, true],
  ['a wrong count', typed, { 'Type 1234:': '123\r' }, wrong],
  ['two questions', ['two'], { 'first:': 'a\r', 'second:': 'b\r' }, ['a', 'b']],
  ['a secret', ['secret'], { 'API secret:': 'long-enough\r' }, 'long-enough', noSecret],
  ['Ctrl-C', deletes, { '(y/N)': '\u0003' }, interrupted, /\[\?25h/],
  ['Ctrl-D', deletes, { '(y/N)': '\u0004' }, ended],
  ['a signal', stops, {}, stopped],
  ['a choice, Ctrl-C', several, { 'Enter to choose': '\u0003' }, interrupted],
  ['a choice, Ctrl-D', several, { 'Enter to choose': '\u0004' }, ended],
])('%s, and the terminal is as it was', async (_, words, answers, result, drawn = /^/) => {
  const found = await asked(words, Object.entries(answers))
  expect([found.result, found.settings]).toEqual([result, sane])
  expect(found.raw.split('result')[0]).toMatch(drawn)
})

test.each<[string, string[], Record<string, string>, unknown]>([
  ['yes', deletes, { '(y/N)': 'y\r' }, true],
  ['no, by Enter', deletes, { '(y/N)': '\r' }, false],
  ['a count', typed, { 'Type 1234:': '1,234\r' }, true],
  ['a secret', ['secret'], { 'API secret:': 'long-enougx\u007fh\r' }, 'long-enough'],
  ['a secret, Ctrl-C', ['secret'], { 'API secret:': '\u0003' }, interrupted],
  ['Ctrl-D', deletes, { '(y/N)': '\u0004' }, ended],
  ['a signal', stops, {}, stopped],
])(
  '%s, without any escape sequence on a terminal that knows none',
  async (_, words, answers, result) => {
    const found = await asked(words, Object.entries(answers), 'dumb')
    expect([found.result, found.settings]).toEqual([result, sane])
    expect(found.raw).not.toContain('\u001b')
    const [shown = ''] = found.raw.split('result')
    expect(shown.includes('long-enoug')).toBe(false)
  },
)

test('the answer stands in the question, and a wrong one below it', async () => {
  const { raw } = await asked(deletes, Object.entries(maybe))
  expect((await show(raw, { columns: 100 })).lines[0]).toBe('? Delete it? (y/N) y')
  const again = await show(
    raw.slice(0, raw.lastIndexOf('answer y or n') + 'answer y or n'.length),
    { columns: 100 },
  )
  expect(again.lines.slice(0, 2)).toEqual(['? Delete it? (y/N) maybe', '> answer y or n'])
})

const hostile = '\u001b]0;owned\u0007\u001b[2J\u202e\r\n> fake'

test.each<[string[], [string, string]]>([
  [
    ['yes-no', `Delete "${hostile}"?`],
    ['(y/N)', '\r'],
  ],
  [
    ['choose', hostile, 'other'],
    ['Enter to choose', '\r'],
  ],
])('hostile names are text: %j %j', async (words, answer) => {
  const { result, raw, settings } = await asked(words, [answer])
  expect([result, settings]).toEqual([words[0] === 'choose' ? '0' : false, sane])
  const screen = await show(raw, { columns: 100 })
  expect(screen.events.filter((event) => !event.startsWith('csi'))).toEqual([])
  expect(raw).not.toContain('\u001b[2J')
  expect(raw).toContain('\\u{1b}]0;owned')
  expect(liveIn(stripVTControlCharacters(raw).replaceAll('\r', ''))).toEqual([])
})
