/** The counter of reads that take long, on a terminal. */
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Counter } from '../../src/output/counter.ts'
import { realHost } from '../host.ts'
import { onTerminal, until } from '../bulk/spawned.ts'
import { answering, http } from '../http/loopback.ts'
import { createWorld, type Options } from '../svc.ts'
import { show } from './screen.ts'

describe('by itself', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function setUp(columns = 80) {
    let written = ''
    let read = 0
    let through: ((line: string) => void) | undefined
    const stderr = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        written += chunk.toString()
        callback()
      },
    })
    const text = (): string => `${(read += 100)} of 41,000 members…`
    const counter = new Counter({ ...realHost, stderr, columns: () => columns }, text, (write) => {
      through = write
    })
    return {
      counter,
      log: (line: string) => through?.(line),
      isThrough: () => through !== undefined,
      written: () => written,
      // What an erased line held is not seen.
      lines: () => written.split('\n').map((line) => line.split('\r\u001b[K').at(-1)?.replace(/\r$/, '')),
    }
  }

  test('is shown after a second, and gone when nothing is read any more', () => {
    const { counter, written, lines, isThrough } = setUp()
    counter.start()
    vi.advanceTimersByTime(999)
    expect([written(), isThrough()]).toEqual(['', false])
    vi.advanceTimersByTime(1)
    expect(lines()).toEqual(['100 of 41,000 members…'])
    vi.advanceTimersByTime(500)
    expect(lines()).toEqual(['300 of 41,000 members…'])
    counter.stop()
    vi.advanceTimersByTime(5000)
    expect([lines(), isThrough()]).toEqual([[''], false])
  })

  test('quick reads show nothing, however many there are', () => {
    const { counter, written } = setUp()
    for (let n = 0; n < 5; n += 1) {
      counter.start()
      vi.advanceTimersByTime(900)
      counter.stop()
    }
    expect(written()).toBe('')
  })

  test('a line comes in its place, and it is drawn again below', () => {
    const { counter, log, lines } = setUp()
    counter.start()
    vi.advanceTimersByTime(1000)
    log('note: one')
    expect(lines()).toEqual(['note: one', ''])
    vi.advanceTimersByTime(250)
    expect(lines()).toEqual(['note: one', '200 of 41,000 members…'])
  })

  test('it is never shown again once its end was called', () => {
    const { counter, lines } = setUp()
    counter.start()
    vi.advanceTimersByTime(1000)
    counter.end()
    counter.start()
    vi.advanceTimersByTime(5000)
    expect(lines()).toEqual([''])
  })

  test('stays on one line of a narrow terminal', () => {
    const { counter, lines } = setUp(12)
    counter.start()
    vi.advanceTimersByTime(1000)
    expect(lines()).toEqual(['100 of 41,…'])
  })
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
    const pagination = { page, limit: 100, total: 300, totalPages: 3, hasNext: page < 3, hasPrev: page > 1 }
    const answer = (): void => void socket.write(http(200, JSON.stringify({ data: { lists, pagination } })))
    if (page <= first || isOpen) answer()
    else held.push(answer)
  })
  const world = createWorld({ SVC_BASE_URL: server.baseUrl, SVC_API_KEY: 'pk_1', SVC_API_SECRET: 'a-secret-of-this' })
  return {
    ...world,
    held,
    release: () => {
      isOpen = true
      for (const answer of held) answer()
    },
  }
}

describe('on a real terminal', () => {
  const env = (world: { env: Readonly<Record<string, string | undefined>> }): Record<string, string> =>
    Object.fromEntries(Object.entries(world.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

  test('a search for a name counts, and leaves nothing of it behind', async () => {
    const world = await holding()
    const terminal = onTerminal('svc lists get "List 250" --fields name', env(world), world.folder)
    await until(() => terminal.text().includes('100 of 300 lists…'))
    world.release()
    await terminal.exited
    const { lines } = await show(terminal.text(), { columns: 80 })
    expect(lines.filter((line) => line !== '')).toEqual(['NAME  List 250'])
  })

  test('rows on the same terminal take its place, and it does not come back', async () => {
    const world = await holding(0)
    const terminal = onTerminal('svc lists list -o ndjson --fields name', env(world), world.folder)
    await until(() => terminal.text().includes('0 lists…'))
    world.held.shift()?.()
    await until(() => terminal.text().includes('"List 99"'))
    await new Promise((resolve) => setTimeout(resolve, 2000))
    world.release()
    await terminal.exited
    const { lines } = await show(terminal.text(), { columns: 100 })
    expect(lines.filter((line) => line !== '')).toEqual(Array.from({ length: 300 }, (_, n) => `{"name":"List ${n}"}`))
    const [, rows = ''] = terminal.text().split('"List 0"')
    expect(rows).not.toContain('…')
  })

  test('with -v every line stands alone', async () => {
    const world = await holding()
    const terminal = onTerminal('svc lists get "List 250" --fields name -v', env(world), world.folder)
    await until(() => terminal.text().includes('100 of 300 lists…'))
    world.release()
    await terminal.exited
    const { lines } = await show(terminal.text(), { columns: 80 })
    expect(lines.filter((line) => line !== '').map((line) => line.replace(/ 200 .*/, ''))).toEqual([
      'GET /v1/lists?page=1&limit=100',
      expect.stringMatching(/^GET \/v1\/lists\?page=[23]/),
      expect.stringMatching(/^GET \/v1\/lists\?page=[23]/),
      'NAME  List 250',
    ])
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
  const results = cases.map(([words, options]) => world.svc(`lists get "List 250" --fields name ${words}`, options))
  await until(() => world.held.length === 2 * cases.length)
  // Twice as long as a counter would wait: that it is not there cannot be waited for.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  world.release()
  for (const result of results) expect(await result).toEqual({ code: 0, stdout: 'NAME  List 250\n', stderr: '' })
})
