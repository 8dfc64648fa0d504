import { spawn as spawnPty } from '@lydell/node-pty'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { buildBulk } from '../runs/child.ts'
import { atEnd } from '../ending.ts'
import { liveIn } from './screen.ts'

/** A program that asks on its real terminal and says what came of it. */
const program = `
import { Questions, nodeHost } from './bulk.mjs'
const [what, ...words] = process.argv.slice(2)
const stop = new AbortController()
const host = nodeHost(process)
const questions = new Questions({ host, yes: undefined, input: true, format: 'table', signal: stop.signal })
const all = words.map((name, n) => ({ value: String(n), name, detail: name }))
const asked = {
  'yes-no': () => questions.confirm({ message: words[0] }).then(() => true),
  typed: () => questions.confirm({ message: words[0], expected: words[1] }).then(() => true),
  secret: () => questions.text('API secret:', (text) => text.length < 4 ? 'too short' : undefined, true),
  choose: () => questions.choose('Which?', async () => all),
  two: async () => [await questions.text('first:'), await questions.text('second:')],
  stopped: () => { setTimeout(() => stop.abort(new Error('stopped by a signal')), 300); return questions.confirm({ message: words[0] }) },
}
try {
  console.log('result ' + JSON.stringify((await asked[what]()) ?? null))
} catch (error) {
  console.log('result ' + JSON.stringify([error.category, error.exitCode, error.message]))
}
`

const built = buildBulk('output/questions.ts', 'host.ts')
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
const declined = ['confirm', 2, 'declined; nothing was sent']
const deletes = ['yes-no', 'Delete it?']
const typed = ['typed', 'Delete 1,234?', '1234']
const several = ['choose', 'one', 'two']
const stops = ['stopped', 'Delete it?']
/** Ctrl-U takes the wrong answer away. */
const maybe = { '(y/N)': 'maybe\r', 'You must answer': '\u0015y\r' }

/** Words of the program, answers by what was asked, the result, and what was drawn meanwhile. */
test.each<[string, string[], Record<string, string>, unknown, RegExp?]>([
  ['yes', deletes, { '(y/N)': 'y\r' }, true],
  ['no', deletes, { '(y/N)': 'NO\r' }, declined],
  ['no, by Enter', deletes, { '(y/N)': '\r' }, declined],
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

test('on a terminal that cannot draw nobody is asked', async () => {
  const { result, raw } = await asked(deletes, [], 'dumb')
  expect(result).toEqual(['confirm', 2, 'confirmation needed: Delete it?'])
  expect(raw).not.toContain('\u001b')
})

test('hostile names in a choice are text', async () => {
  const { result, raw } = await asked(
    ['choose', '\u001b]0;owned\u0007\u001b[2J\u202e\r\n> fake', 'other'],
    [['Enter to choose', '\r']],
  )
  expect(result).toBe('0')
  expect(raw).toContain('\\u{1b}]0;owned')
  expect(liveIn(stripVTControlCharacters(raw).replaceAll('\r', ''))).toEqual([])
})
