/** The line on a terminal that counts the rows of a long read. */
import { describe, expect, test } from 'vitest'
import { StatusLine } from '../../src/output/progress.ts'
import { onTerminal, until, type OnTerminal } from '../runs/spawned.ts'
import { answering, http } from '../http/loopback.ts'
import { createWorld, type Options } from '../svc.ts'
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

const id = (n: number): string => n.toString(16).padStart(24, '0')

/** A service of three pages of lists that answers none but the `first` ones until it is told to. */
async function holding(first = 1) {
  const held: (() => void)[] = []
  let isOpen = false
  const server = await answering((socket, request) => {
    const page = Number(/page=(\d)/.exec(request)?.[1])
    const lists = Array.from({ length: 100 }, (_, n) => {
      const number = (page - 1) * 100 + n
      return { id: id(number), name: `List ${number}`, contactsCount: 0 }
    })
    const pagination = {
      page,
      limit: 100,
      total: 300,
      totalPages: 3,
      hasNext: page < 3,
      hasPrev: page > 1,
    }
    const answer = (): void =>
      void socket.write(http(200, JSON.stringify({ data: { lists, pagination } })))
    if (page <= first || isOpen) answer()
    else held.push(answer)
  })
  const world = createWorld({
    SVC_BASE_URL: server.baseUrl,
    SVC_API_KEY: 'pk_1',
    SVC_API_SECRET: 'a-secret-of-this',
  })
  return {
    ...world,
    held,
    release: () => {
      isOpen = true
      for (const answer of held) answer()
    },
  }
}

type World = Awaited<ReturnType<typeof holding>>

describe('on a real terminal', () => {
  /** The screen of a command at its end. The command waits until the screen shows `before`; then `act` runs. */
  async function left(
    words: string,
    before: string,
    first = 1,
    act?: (world: World, on: OnTerminal) => Promise<void>,
  ) {
    const world = await holding(first)
    const on = onTerminal(`svc lists ${words} --fields name`, world.env, world.folder)
    await until(() => on.text().includes(before))
    await act?.(world, on)
    world.release()
    await on.exited
    const { lines } = await show(on.text(), { columns: 100 })
    return { lines: lines.filter((line) => line !== ''), text: on.text() }
  }

  test('a search for a name counts, and leaves nothing of it behind; with -v every line stands alone', async () => {
    const [quiet, verbose] = await Promise.all(
      ['', ' -v'].map((more) => left(`get "List 250"${more}`, '100 lists…')),
    )
    expect(quiet?.lines).toEqual(['NAME  List 250'])
    const requests = verbose?.lines.slice(0, -1).map((line) => line.replace(/ 200 .*/, ''))
    expect(requests?.toSorted()).toEqual(
      [1, 2, 3].map((page) => `GET /v1/lists?page=${page}&limit=100`),
    )
    expect(verbose?.lines.at(-1)).toBe('NAME  List 250')
  })

  test('rows on the same terminal take its place, and it does not come back', async () => {
    const { lines, text } = await left('list -o ndjson', '0 lists…', 0, async (world, on) => {
      world.held.shift()?.()
      await until(() => on.text().includes('"List 99"'))
      await new Promise((resolve) => setTimeout(resolve, 1500))
    })
    expect(lines).toEqual(Array.from({ length: 300 }, (_, n) => `{"name":"List ${n}"}`))
    expect(text.split('"List 0"')[1]).not.toContain('…')
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
  const world = await holding()
  const results = cases.map(([words, options]) =>
    world.svc(`lists get "List 250" --fields name ${words}`, options),
  )
  await until(() => world.held.length === 2 * cases.length)
  // Longer than a counter would wait: that it is not there cannot be waited for.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  world.release()
  for (const result of results)
    expect(await result).toEqual({ code: 0, stdout: 'NAME  List 250\n', stderr: '' })
})
