/** The line on a terminal that counts the rows of a long read. */
import { afterEach, describe, expect, test } from 'vitest'
import { StatusLine } from '../../src/output/progress.ts'
import { onTerminal } from '../runs/spawned.ts'
import { createSandboxWorld, type Options } from '../svc.ts'
import { meter } from './meters.ts'
import { show } from './screen.ts'

test('the line is shown after a second, and lines of stderr stand above it; after its end it never comes back', async () => {
  const { host, stderr, pass } = meter(12)
  let read = 0
  let diverted: ((line: string) => void) | undefined
  const line = new StatusLine(host, () => `${(read += 100)} of 41,000 members`, {
    divertTo: (write) => {
      diverted = write
    },
  })
  // The text of an erased line is not visible.
  const seen = () =>
    stderr.text.split('\n').map((each) => each.split('\r\u001b[K').at(-1)?.replace(/\r$/, ''))
  for (let n = 0; n < 5; n += 1) {
    line.start()
    await pass(900)
    line.stop()
  }
  line.start()
  await pass(999)
  expect([stderr.text, diverted]).toEqual(['', undefined])
  await pass(2)
  expect(seen()).toEqual(['100 of 41,…'])
  diverted?.('note: one')
  expect(seen()).toEqual(['note: one', ''])
  await pass(250)
  expect(seen()).toEqual(['note: one', '200 of 41,…'])
  line.end()
  line.start()
  await pass(5000)
  expect([seen(), diverted]).toEqual([['note: one', ''], undefined])
})

const world = await createSandboxWorld()
const { sandbox } = world
const get = 'lists get "Campaign 120" --fields name'
/** The page of 100 lists that is asked for first is there at once, all others take longer than a counter waits. */
const slowPages = 'lists.list:2+=delay,before=2500ms'
afterEach(() => sandbox.setFaults())

describe('on a real terminal', () => {
  /** The screen of a command at its end, and all that was shown before. */
  async function left(line: string) {
    const on = onTerminal(`svc ${line}`, world.env, world.folder)
    await on.exited
    const { lines } = await show(on.text(), { columns: 100 })
    return { lines: lines.filter((each) => each !== ''), text: on.text() }
  }

  test.each(['', ' -v'])(
    'a search for a name counts, and leaves nothing of it behind:%s',
    async (more) => {
      sandbox.setFaults(slowPages)
      const { lines, text } = await left(get + more)
      expect(text).toContain('100 lists…')
      const requests = lines.slice(0, -1).map((line) => line.replace(/ 200 .*/, ''))
      const pages = more === '' ? [] : [1, 2, 3]
      expect(requests.toSorted()).toEqual(
        pages.map((page) => `GET /v1/lists?page=${page}&limit=100`),
      )
      expect(lines.at(-1)).toBe('NAME  Campaign 120')
    },
  )

  test('rows on the same terminal take its place, and it does not come back', async () => {
    const line = 'lists list -o ndjson --fields name'
    const { stdout } = await world.svc(line)
    sandbox.setFaults('lists.list=delay,before=2500ms')
    const { lines, text } = await left(line)
    expect(lines).toEqual(stdout.trimEnd().split('\n'))
    const [before = '', after] = text.split(lines[0] ?? '')
    expect([before.includes('0 lists…'), after?.includes('…')]).toEqual([true, false])
  })
})

test('nothing is counted off a terminal, where it was not asked for, and where it could not be read', async () => {
  const isTerminal = { stderr: true }
  const cases: [string, Options][] = [
    ['', {}],
    ['-q', { isTerminal }],
    ['--progress none', { isTerminal }],
    ['--progress json', { isTerminal }],
    ['', { isTerminal, env: { ACCESSIBLE: '1' } }],
    ['', { isTerminal, env: { TERM: 'dumb' } }],
  ]
  sandbox.setFaults('lists.list=delay,before=700ms')
  const results = await Promise.all(cases.map(([words, how]) => world.svc(`${get} ${words}`, how)))
  for (const result of results)
    expect(result).toEqual({ code: 0, stdout: 'NAME  Campaign 120\n', stderr: '' })
})
