/** Reads of pages and chunks, whatever the service says and others change meanwhile. */
import { describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { limits } from '../../src/api/limits.ts'
import type { HistoryChunk } from '../../src/api/operations.ts'
import { readChunks, readPages, type FetchPage } from '../../src/api/pages.ts'
import { amount } from '../support/amount.ts'
import { Dice } from '../support/dice.ts'
import { table } from '../support/table.ts'

interface Row {
  readonly id: string
}

interface Serving {
  /** Called before the n-th page is answered. */
  change?: (count: number) => void
  /** Returns the page that is answered to the n-th request. */
  answered?: (page: number, count: number) => number
  turns?: () => number
  /** A page has no more rows, however many are asked for. */
  cap?: number
}

/** A service with these rows, newest first. */
function serving(rows: readonly Row[], how: Serving = {}) {
  const { change, answered = (page) => page, turns = () => 0, cap = Infinity } = how
  const asked: number[] = []
  const fetchPage = async ({ page, limit }: { page: number; limit: number }) => {
    asked.push(page)
    const count = asked.length
    for (let turn = turns(); turn > 0; turn -= 1) await Promise.resolve()
    change?.(count)
    const size = Math.min(limit, cap)
    const end = answered(page, count) * size
    const pagination = { total: rows.length, hasNext: end < rows.length }
    return { rows: rows.slice(end - size, end), pagination }
  }
  return { asked, fetchPage }
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: `row ${count - n}` }))

const usual = limits.pageSize.max

async function read(fetchPage: FetchPage<Row>, limit?: number, size: number = usual) {
  Object.assign(limits.pageSize, { max: size })
  try {
    const { rows, total } = await readPages(fetchPage, 'rows', limit)
    return { ids: rows.map(({ id }) => id), total }
  } finally {
    Object.assign(limits.pageSize, { max: usual })
  }
}

/** Returns the stayers that a read among random writers lacks, or that it was not whole. */
async function readAmongWriters(seed: number) {
  const dice = new Dice(seed)
  const rows = rowsOf(dice.below(40))
  const all = rows.map(({ id }) => id)
  const gone = new Set<string | undefined>()
  const [writers, pace, joining] = [dice.below(5), dice.random() ** 2, dice.random()]
  const write = (n: number) => {
    if (dice.isLucky(joining)) rows.unshift({ id: `new ${n}` })
    else gone.add(rows.splice(dice.below(rows.length), 1)[0]?.id)
  }
  const change = (asked: number) => {
    for (let n = 0; asked > 1 && n < writers; n += 1) if (dice.isLucky(pace)) write(9 * asked + n)
  }
  const limit = dice.isLucky(0.5) ? 1 + dice.below(40) : undefined
  const [size, cap] = [1 + dice.below(6), 1 + dice.below(8)]
  const { fetchPage } = serving(rows, { change, turns: () => dice.below(4), cap })
  try {
    const { ids } = await read(fetchPage, limit, size)
    if (limit !== undefined && ids.length > limit) return ['too many']
    // With a limit, only rows that are newer than the last one must be there.
    const end = ids.length === limit ? Math.max(0, all.indexOf(ids.at(-1) ?? '')) : all.length
    return all.slice(0, end).filter((id) => !gone.has(id) && !ids.includes(id))
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 7) return 'not whole'
    throw error
  }
}

describe('pages', () => {
  // Rows of a page at most, rows that there are, the limit; rows that come, pages that are asked for.
  test.each(
    table(`
    all, 100 a page, and the first again | 100 | 250 |     | 250 | 1 2 3 1
    exactly full pages                   | 100 | 200 |     | 200 | 1 2 1
    one page is one answer               | 100 | 100 |     | 100 | 1
    nothing there                        | 100 | 0   |     | 0   | 1
    a limit within the first page        | 100 | 250 | 50  | 50  | 1
    a limit at a seam asks for no more   | 100 | 250 | 100 | 100 | 1
    a limit one beyond a seam            | 100 | 250 | 101 | 101 | 1 2 1
    a limit that is exactly all          | 100 | 100 | 100 | 100 | 1
    a limit beyond all is all            | 100 | 150 | 200 | 150 | 1 2 1
    smaller pages, all full              | 50  | 250 |     | 250 | 1 2 3 4 5 1
    smaller pages, the last not full     | 30  | 100 |     | 100 | 1 2 3 4 1
    one smaller page                     | 30  | 30  |     | 30  | 1
    smaller pages, and a limit           | 30  | 90  | 60  | 60  | 1 2 1
    pages of almost all                  | 99  | 100 |     | 100 | 1 2 1
    pages of one row                     | 1   | 3   |     | 3   | 1 2 3 1`),
  )('%s', async (_, cap, count, limit, shown, pages) => {
    const { asked, fetchPage } = serving(rowsOf(Number(count)), { cap: Number(cap) })
    const { ids, total } = await read(fetchPage, limit ? Number(limit) : undefined)
    expect([ids.length, total, asked.join(' ')]).toEqual([Number(shown), Number(count), pages])
  })

  test('a reading follows what joins behind the last page', async () => {
    const rows = rowsOf(6)
    // Before each page 2, one joins, one leaves, and one joins.
    const moves = [
      () => rows.unshift({ id: 'a' }),
      () => rows.pop(),
      () => rows.unshift({ id: 'b' }),
    ]
    const change = () => void (asked.at(-1) === 2 && moves.shift()?.())
    const { asked, fetchPage } = serving(rows, { change })
    const { ids } = await read(fetchPage, undefined, 3)
    expect([asked.join(' '), ids.join()]).toEqual([
      '1 2 3 1',
      'a,row 6,row 5,row 4,row 3,row 2,row 1',
    ])
  })

  test('pages that answer in another order than they were asked are at last read in turn', async () => {
    const rows = rowsOf(9)
    // One joins before page 2 is answered, which is the last of those that are asked with it.
    const turns = () => (asked.at(-1) === 2 ? 9 : 0)
    const change = (count: number) =>
      void (asked[count - 1] === 2 && rows.unshift({ id: `new ${count}` }))
    const { asked, fetchPage } = serving(rows, { turns, change })
    const { total } = await read(fetchPage, undefined, 3)
    expect([asked.join(' '), total]).toEqual(['1 2 3 1 1 2 3 4 1 1 2 3 4 1', 12])
  })

  async function readSix(how: (rows: Row[]) => Serving, limit?: number) {
    const rows = rowsOf(6)
    const { asked, fetchPage } = serving(rows, how(rows))
    const { ids } = await read(fetchPage, limit, 3)
    return [asked.join(' '), ids.map((id) => id.replace('row ', '')).join(' ')]
  }

  const join = (rows: Row[]) => rows.unshift({ id: 'new' })
  const leave = (rows: Row[]) => rows.splice(0, 1)
  const both = (rows: Row[]) => void (rows.splice(1, 1), join(rows))
  /** Two rows of one time change places. */
  const swap = (rows: Row[]) => rows.splice(2, 2, ...rows.slice(2, 4).toReversed())
  const moves: [string, (rows: Row[]) => unknown, number | undefined, string, string][] = [
    ['nothing', () => undefined, undefined, '1 2 1', '6 5 4 3 2 1'],
    ['one that joins', join, undefined, '1 2 3 1', 'new 6 5 4 3 2 1'],
    ['one that leaves', leave, undefined, '1 2 1 1 2 1', '5 4 3 2 1'],
    ['one that leaves, with a limit', leave, 4, '1 2 1 1 2 1', '5 4 3 2'],
    ['one that joins and one that leaves', both, undefined, '1 2 1 1 2 1', 'new 6 4 3 2 1'],
    ['the same, with a limit', both, 5, '1 2 1 1 2 1', 'new 6 4 3 2'],
    ['two that change places', swap, undefined, '1 2 1 1 2 1', '6 5 3 4 2 1'],
  ]
  test.each(moves)('before page 2, %s', async (_, move, limit, asked, ids) => {
    const change = (rows: Row[]) => (count: number) => void (count === 2 && move(rows))
    expect(await readSix((rows) => ({ change: change(rows) }), limit)).toEqual([asked, ids])
  })

  test('a row that comes twice counts once: the read begins again', async () => {
    const repeatOnce = (page: number, count: number) => (count === 2 ? 1 : page)
    expect(await readSix(() => ({ answered: repeatOnce }))).toEqual([
      '1 2 3 1 1 2 1',
      '6 5 4 3 2 1',
    ])
    const rows = [...rowsOf(6).slice(0, 5), { id: 'ROW 6' }]
    await expect(read(serving(rows).fetchPage, undefined, 3)).rejects.toThrow('completely')
  })

  test('four pages are read at the same time', async () => {
    const most: number[] = []
    let inFlight = 0
    const { fetchPage } = serving(rowsOf(2500))
    await read(async (query) => {
      most.push((inFlight += 1))
      await new Promise(setImmediate)
      inFlight -= 1
      return fetchPage(query)
    })
    expect(Math.max(...most)).toBe(4)
  })

  test('a page that fails is no end: nothing is taken for whole', async () => {
    const fetchPage: FetchPage<Row> = ({ page }) =>
      page === 1
        ? Promise.resolve({ rows: rowsOf(100), pagination: { total: 150, hasNext: true } })
        : Promise.reject(new SvcError('unfinished', 'no'))
    await expect(read(fetchPage)).rejects.toThrow('no')
  })

  const listed = async (count: number, total: number, hasNext: boolean, name = 'row') => ({
    rows: rowsOf(count).map(({ id }) => ({ id: `${id} of ${name}` })),
    pagination: { total, hasNext },
  })
  let falling = 900
  let growing = 200
  test.each<[string, FetchPage<Row>, number]>([
    ['empty pages without end', ({ page }) => listed(page === 1 ? 100 : 0, 900, true), 3 * 11],
    ['the same page', () => listed(100, 250, true), 3 * 5],
    ['fewer rows than are counted', () => listed(9, 10, false), 3],
    ['more rows than are counted', () => listed(11, 10, false), 3],
    ['a next page behind all rows', () => listed(10, 10, true), 3 * 3],
    ['a total that falls each time', () => listed(100, (falling -= 1), true), 3 * 11],
    [
      'new rows without end',
      ({ page }) => listed(100, (growing += 100), true, `${page}`),
      1 + 2 + 1 + 1 + (1 + 7 + 1 + 1) + (1 + 17 + 1 + 1),
    ],
  ])('%s: exit 7 after three readings', async (_, fetchPage, requests) => {
    let asked = 0
    const counted: FetchPage<Row> = (query) => ((asked += 1), fetchPage(query))
    await expect(read(counted)).rejects.toMatchObject({
      exitCode: 7,
      message: 'the rows could not be read completely in 3 tries',
    })
    expect(asked).toBe(requests)
  })

  test('no read that is called whole lacks somebody who stayed', async () => {
    const reads = amount(1500)
    let whole = 0
    for (let seed = 1; seed <= reads; seed += 1) {
      const lacking = await readAmongWriters(seed)
      if (lacking === 'not whole') continue
      whole += 1
      expect(lacking, `seed ${seed}`).toEqual([])
    }
    expect(whole).toBeGreaterThan(reads / 4)
  })
})

const ticket = { id: '0'.repeat(24) }

/** A service with chunks such as `5 4 next=a; a: 3 2`: others stand behind their cursor. */
function chunksBy(text: string) {
  const asked: (string | undefined)[] = []
  const chunks = text.split('; ').map((chunk, n) => (n === 0 ? `: ${chunk}` : chunk).split(': '))
  const fetchChunk = (cursor: string | undefined): Promise<HistoryChunk> => {
    asked.push(cursor)
    if (asked.length > 100) throw new Error('the walk has no end')
    const [, chunk = ''] = chunks.find(([name]) => name === (cursor ?? '')) ?? []
    const [, next] = /next=(\w*)/.exec(chunk) ?? []
    const messages = [...chunk.replace(/next=.*/, '').matchAll(/\d+/g)].map(([id]) => ({ id }))
    const more =
      next === undefined ? {} : { nextChunkStartMessageId: next === 'null' ? null : next }
    return Promise.resolve({ ticket, messages, ...more })
  }
  return { asked, fetchChunk }
}

async function idsOf(reading: ReturnType<typeof readChunks>) {
  const { messages } = await reading
  return messages.map(({ id }) => id)
}

describe('chunks', () => {
  const walks = table(`
    one                          | 3 2 1                                 | 3 2 1
    none                         |                                       |
    a cursor that begins the next | 5 4 next=3; 3: 3 2 next=1; 1: 1      | 5 4 3 2 1
    chunks that overlap          | 5 4 next=4; 4: 4 3 next=3; 3: 5 3 2   | 5 4 3 2
    an empty last one            | 2 1 next=1; 1:                        | 2 1
    null for no cursor           | 2 1 next=null                         | 2 1
    an empty one in between      | 3 next=a; a: next=b; b: 2             | 3 2`)
  test.each(walks)('%s', async (_, chunks = '', ids) => {
    expect((await idsOf(readChunks(chunksBy(chunks).fetchChunk))).join(' ')).toBe(ids)
  })

  test.each(
    table(`
    the cursor that was sent | 3 next=a; a: 2 next=a
    an earlier cursor        | 3 next=a; a: 2 next=b; b: 1 next=a
    an empty cursor          | 3 next=`),
  )('%s ends the read with exit 7', async (_, chunks = '') => {
    const { asked, fetchChunk } = chunksBy(chunks)
    await expect(idsOf(readChunks(fetchChunk))).rejects.toMatchObject({
      exitCode: 7,
      message:
        'svc could not find the end of the history: the service returned the same cursor twice',
    })
    expect(asked).toHaveLength(chunks.split('; ').length)
  })

  /** Reads a history of which every chunk has a new cursor, and the n-th one these messages. */
  async function readForever(idsIn: (n: number) => string[]) {
    let asked = 0
    const fetchChunk = () => {
      asked += 1
      const messages = idsIn(asked).map((id) => ({ id }))
      return Promise.resolve({ ticket, messages, nextChunkStartMessageId: `${asked}` })
    }
    const message = 'svc could not find the end of the history: 100 pages in a row had no message'
    await expect(idsOf(readChunks(fetchChunk))).rejects.toMatchObject({ exitCode: 7, message })
    return asked
  }

  test('a hundred chunks in a row without a new message end the read with exit 7', async () => {
    expect(await readForever(() => [])).toBe(100)
    expect(await readForever((n) => (n === 100 ? ['message'] : []))).toBe(200)
    expect(await readForever((n) => [`${n % 2}`])).toBe(102)
  })
})
