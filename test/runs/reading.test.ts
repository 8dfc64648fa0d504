/** What a list believes without reading a whole file: an `end` whose session has freed its run behind it (docs/run-file.md, "Reading"). */
import { appendFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readEnd } from '../../src/runs/reading.ts'
import { deadSession, firstSession, host, recordRun } from './recorded-run.ts'
import { textOf, writeOf, type FileLine } from './run-files.ts'

const end: FileLine = {
  t: 'end',
  baseUrl: 'https://api.example.com',
  summary: { run: 'x', exitCode: 0, left: 0 },
}
const free: FileLine = { t: 'free' }
const lineOf = (i: number, line: FileLine, s = firstSession): string =>
  `\n${textOf({ s, i, at: 1, ...line })}`

it.each<[string, string, boolean]>([
  ['`end`, and `free` behind it', lineOf(4, end) + lineOf(5, free), true],
  ['`end` alone', lineOf(4, end), false],
  ['`free` alone', lineOf(4, free), false],
  [
    'a line between the two',
    lineOf(4, end) + lineOf(5, { t: 'undone', by: 'x' }) + lineOf(6, free),
    false,
  ],
  [
    'a line of the session that freed nothing',
    lineOf(4, end) + lineOf(5, { t: 'undone', by: 'x' }),
    false,
  ],
  ['a gap between the two', lineOf(4, end) + lineOf(6, free), false],
  ['`free` of another session', lineOf(4, end) + lineOf(5, free, 'ffffffff'), false],
  [
    'a session behind them',
    lineOf(4, end) + lineOf(5, free) + writeOf('ffffffff', [deadSession(firstSession, 6)]),
    false,
  ],
  ['half a line behind them', `${lineOf(4, end)}${lineOf(5, free)}\n{"s":"ffff`, false],
])('%s', (_, text, isBelieved) => {
  const { run, path } = recordRun(4, 2)
  appendFileSync(path, text)
  expect(readEnd(host, { run, path }) !== undefined).toBe(isBelieved)
})
