/** Walks over pages and chunks, whatever the service says. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryChunk } from '../../src/api/schemas.ts'
import { plainPrint } from '../../src/output/result.ts'
import { table } from '../table.ts'
import { SvcError } from '../../src/errors.ts'
import { endingNotes } from '../../src/output/render.ts'
import { followChunks, followPages, type Page, type Paging, Reads } from '../../src/api/paginate.ts'

interface Row {
  readonly id: string
}

/** A service with these rows, newest first, which `change` may alter before each page. */
function serving(all: Row[], change: (page: number) => void = () => undefined) {
  const asked: { page: number; limit: number }[] = []
  const fetchPage = ({ page, limit }: { page: number; limit: number }): Promise<Page<Row>> => {
    change(page)
    asked.push({ page, limit })
    const total = all.length
    const totalPages = Math.ceil(total / limit)
    const rows = all.slice((page - 1) * limit, page * limit)
    return Promise.resolve({
      rows,
      pagination: { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 },
    })
  }
  return { asked, fetchPage }
}

/** The same, where an answer is made when its function is called: they wait in the order in which they were asked for. */
function answering(all: Row[]) {
  const { fetchPage } = serving(all)
  const asked: number[] = []
  const waiting: (() => void)[] = []
  return {
    asked,
    waiting,
    fetchPage: (query: { page: number; limit: number }) =>
      new Promise<Page<Row>>((resolve) => {
        asked.push(query.page)
        waiting.push(() => resolve(fetchPage(query)))
      }),
  }
}

/** All that can go on without an answer has gone on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: `row ${count - n}` }))

async function walk(
  fetchPage: Parameters<typeof followPages<Row>>[0],
  paging: Partial<Paging> = {},
) {
  const ids: string[] = []
  const pages = followPages(fetchPage, { limit: Infinity, ...paging }, 'rows', new Reads())
  let step = await pages.next()
  for (; step.done !== true; step = await pages.next()) ids.push(step.value.id)
  const { shown, total, missing, hasTotalChanged } = step.value
  const notes = [
    ...(hasTotalChanged === true ? ['moved'] : []),
    ...(missing === undefined
      ? []
      : [`${missing === 'short' ? 'short' : 'left out'} ${shown} ${total}`]),
  ]
  return { ids, notes }
}

/** Reads all pages; `ids` has those of the rows that came, also when the walk fails. */
function readAll(fetchPage: Parameters<typeof followPages<Row>>[0]) {
  const ids: string[] = []
  const reading = (async () => {
    for await (const { id } of followPages(fetchPage, { limit: Infinity }, 'rows', new Reads()))
      ids.push(id)
  })()
  return { ids, reading }
}

describe('pages', () => {
  // Rows that there are, what is asked for; rows that come, pages and their size, notes.
  const asking = table(`
    all, 100 a page | 250 | {} | 250 | 1-3 of 100
    exactly full pages | 200 | {} | 200 | 1-2 of 100
    nothing there | 0 | {} | 0 | 1-1 of 100
    a limit within the first page | 250 | {"limit": 50} | 50 | 1-1 of 100 | left out 50 250
    a limit at a seam asks for no more | 250 | {"limit": 100} | 100 | 1-1 of 100 | left out 100 250
    a limit one beyond a seam | 250 | {"limit": 101} | 101 | 1-2 of 100 | left out 101 250
    a limit of three pages asks for three | 900 | {"limit": 201} | 201 | 1-3 of 100 | left out 201 900
    a limit that is exactly all | 100 | {"limit": 100} | 100 | 1-1 of 100
    another page size | 5 | {"pageSize": 2} | 5 | 1-3 of 2
    one page has the service’s own 20 | 250 | {"page": 2} | 20 | 2-2 of 20 | left out 20 250
    one page of a size | 250 | {"page": 3, "pageSize": 100} | 50 | 3-3 of 100 | left out 50 250
    one page beyond the last | 10 | {"page": 9} | 0 | 9-9 of 20 | left out 0 10
    one page that is all | 10 | {"page": 1} | 10 | 1-1 of 20`)
  test.each(asking)('%s', async (_, count, typed = '', shown, requests = '', note) => {
    const paging = JSON.parse(typed) as Partial<Paging>
    const { asked, fetchPage } = serving(rowsOf(Number(count)))
    const { ids, notes } = await walk(fetchPage, paging)
    expect([ids.length, notes]).toEqual([Number(shown), note === undefined ? [] : [note]])
    const [first = 0, last = 0, limit = 0] = requests.split(/-| of /).map(Number)
    expect(asked).toEqual(
      Array.from({ length: last - first + 1 }, (_, n) => ({ page: first + n, limit })),
    )
  })

  test('a member who stays is printed although one left and another joined between two pages of a further pass', async () => {
    const rows = rowsOf(10)
    const { asked, fetchPage } = serving(rows, () => {
      // In the first pass row 5 moves onto the page that was read; in the second one back, when its new page was read.
      if (asked.length === 1) rows.splice(0, 1)
      if (asked.length === 3) {
        rows.splice(-1, 1)
        rows.unshift({ id: 'new' })
      }
    })
    const { ids } = await walk(fetchPage, { pageSize: 5 })
    expect(ids).toEqual(expect.arrayContaining(rows.map(({ id }) => id)))
    expect(asked.map(({ page }) => page)).toEqual([1, 2, 2, 1, 2, 1])
  })

  test('without totals one pass is enough', async () => {
    const { asked, fetchPage } = serving(rowsOf(250))
    const uncounted: typeof fetchPage = async (query) => {
      const { rows, pagination } = await fetchPage(query)
      return { rows, pagination: { ...pagination, total: null } }
    }
    expect(await walk(uncounted)).toMatchObject({ ids: { length: 250 }, notes: [] })
    expect(asked).toHaveLength(3)
    expect(await walk(uncounted, { limit: 5 })).toMatchObject({ notes: ['left out 5 0'] })
  })

  test('a total that no page has rows for is no whole read; with a limit it is a note', async () => {
    const { asked, fetchPage } = serving([...rowsOf(199), { id: 'row 199' }])
    await expect(walk(fetchPage)).rejects.toMatchObject({
      exitCode: 7,
      details: { hint: expect.stringContaining('counted 200, but its pages had 199') as string },
    })
    expect(asked).toHaveLength(8)
    expect((await walk(fetchPage, { limit: 500 })).notes).toEqual(['short 199 200'])
  })

  test('rows that are left out are told, however few the service counts', async () => {
    const { fetchPage } = serving(rowsOf(130))
    const lying: typeof fetchPage = async (query) => {
      const { rows, pagination } = await fetchPage(query)
      return { rows, pagination: { ...pagination, total: 10 } }
    }
    for (const paging of [{ limit: 50 }, { limit: 100 }, { page: 1 }])
      expect((await walk(lying, paging)).notes).toEqual([`left out ${paging.limit ?? 20} 10`])
    await expect(walk(lying)).rejects.toMatchObject({ exitCode: 7 })
    const notesOf = (missing: 'limit' | 'short', total: number, hasTotalChanged = false) =>
      endingNotes({ shown: 50, total, missing, hasTotalChanged }, 'lists', {
        ...plainPrint,
        format: 'table',
      })
    expect([...notesOf('limit', 10), ...notesOf('short', 99, true)]).toEqual([
      'Showing 50 lists; there are more. Use --limit all for all of them.',
      'some lists changed while they were read: some rows may be missing',
    ])
  })

  test('ids are the same in either letter case', async () => {
    const pages = [[{ id: 'ab' }], [{ id: 'AB' }, { id: 'cd' }]]
    const { ids } = await walk(({ page, limit }) =>
      Promise.resolve({
        rows: pages[page - 1] ?? [],
        pagination: { page, limit, total: 2, totalPages: 2, hasNext: page < 2, hasPrev: false },
      }),
    )
    expect(ids).toEqual(['ab', 'cd'])
  })

  test.each([
    ['an empty page', [], 'page 2 is empty although the service says there are more'],
    [
      'the same page again',
      rowsOf(100),
      'page 2 repeats earlier rows although the service says there are more',
    ],
  ])(
    '%s that announces more ends the walk with exit 7, after the rows before it',
    async (_, second, message) => {
      const { ids, reading } = readAll(({ page, limit }) =>
        Promise.resolve({
          rows: page === 1 ? rowsOf(100) : second,
          pagination: { page, limit, total: 900, totalPages: 9, hasNext: true, hasPrev: page > 1 },
        }),
      )
      await expect(reading).rejects.toMatchObject({ message, exitCode: 7 })
      expect(ids).toHaveLength(100)
    },
  )

  test('four pages are in flight while one is used, in any order of answers', async () => {
    const { asked, waiting, fetchPage } = answering(rowsOf(900))
    const { ids, reading } = readAll(fetchPage)
    let most = 0
    for (await turn(); waiting.length > 0; await turn()) {
      most = Math.max(most, waiting.length)
      waiting.pop()?.()
    }
    await reading
    expect(ids).toEqual(rowsOf(900).map(({ id }) => id))
    expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(most).toBe(4)
  })

  test('a reader that does not take the rows of a page has four more pages in flight, and no others', async () => {
    const { asked, fetchPage } = serving(rowsOf(900))
    const pages = followPages(fetchPage, { limit: Infinity }, 'rows', new Reads())
    await pages.next()
    await turn()
    expect(asked.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5])
    await pages.return({ shown: 1, total: 1 })
    expect(asked).toHaveLength(5)
  })

  test('an end before the last page that the service counted is the end of a pass, whatever the pages behind it are', async () => {
    const { asked, fetchPage } = serving(rowsOf(900))
    const ending: typeof fetchPage = async (query) => {
      if (query.page > 3) throw new Error('nobody asked for this page')
      const { rows, pagination } = await fetchPage(query)
      return { rows, pagination: { ...pagination, hasNext: query.page < 3 } }
    }
    await expect(walk(ending)).rejects.toMatchObject({
      details: { hint: expect.stringContaining('counted 900, but its pages had 300') as string },
    })
    expect(asked).toHaveLength(4 * 3)
  })

  test('more pages than the service counted are followed', async () => {
    const { fetchPage } = serving(rowsOf(900))
    const { ids } = await walk(async (query) => {
      const { rows, pagination } = await fetchPage(query)
      return { rows, pagination: { ...pagination, totalPages: 2 } }
    })
    expect(ids).toHaveLength(900)
  })

  test('a page that fails ends the walk behind the rows before it, though later ones failed first', async () => {
    const { fetchPage } = serving(rowsOf(900))
    const { ids, reading } = readAll(async (query) => {
      if (query.page > 3) throw new Error(`page ${query.page}`)
      await turn()
      if (query.page === 3) throw new Error('page 3')
      return fetchPage(query)
    })
    await expect(reading).rejects.toThrow('page 3')
    expect(ids).toHaveLength(200)
  })

  test('nobody who stays is missing while others come, or while others leave; or the read fails', async () => {
    // Next, one of the answers in flight is made, or rows come or go; 4 and 5 change them.
    const moments = fc.array(fc.nat(5), { minLength: 200, maxLength: 200 })
    let whole = 0
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('come', 'leave'),
        fc.integer({ min: 0, max: 12 }),
        moments,
        async (count, change, most, choices) => {
          const rows = rowsOf(count)
          const { waiting, fetchPage } = answering(rows)
          const walked = walk(fetchPage, { pageSize: 5 }).catch((error: unknown) => error)
          let changes = 0
          const changeRows = (choice: number): void => {
            if (changes >= most) return
            changes += 1
            if (change === 'come') rows.unshift({ id: `new ${changes}` })
            else rows.splice((choice * changes * 7) % Math.max(1, rows.length), 1)
          }
          for (const choice of choices) {
            await turn()
            if (waiting.length === 0) break
            if (choice < 4) waiting.splice(choice % waiting.length, 1)[0]?.()
            else changeRows(choice)
          }
          for (; waiting.length > 0; await turn()) waiting.shift()?.()
          const read = await walked
          if (read instanceof SvcError && read.exitCode === 7) return
          whole += 1
          const { ids } = read as { ids: string[] }
          const staying = rowsOf(count).filter((row) => rows.some(({ id }) => id === row.id))
          expect(ids).toEqual(expect.arrayContaining(staying.map(({ id }) => id)))
          expect(new Set(ids).size).toBe(ids.length)
        },
      ),
      { numRuns: 200 },
    )
    expect(whole).toBeGreaterThan(50)
  })
})

const ticket = { id: '0'.repeat(24) }

/** A service whose chunks stand in a map by cursor; '' is the first. */
function chunksBy(
  chunks: Readonly<Record<string, readonly [ids: readonly number[], next?: string | null]>>,
) {
  const asked: (string | undefined)[] = []
  const fetchChunk = (cursor: string | undefined): Promise<HistoryChunk> => {
    asked.push(cursor)
    if (asked.length > 100) throw new Error('the walk has no end')
    const [ids, next] = chunks[cursor ?? ''] ?? [[]]
    const messages = ids.map((id) => ({ id: String(id) }))
    return Promise.resolve({
      ticket,
      messages,
      ...(next === undefined ? {} : { nextChunkStartMessageId: next }),
    })
  }
  return { asked, fetchChunk }
}

/** The ids of all messages, into an array that has those that came, also when the walk fails. */
async function idsOf(chunks: AsyncIterable<HistoryChunk>, ids: string[] = []): Promise<string[]> {
  for await (const { messages } of chunks) ids.push(...messages.map(({ id }) => id))
  return ids
}

describe('chunks', () => {
  test.each<[string, Parameters<typeof chunksBy>[0], number[]]>([
    ['one', { '': [[3, 2, 1]] }, [3, 2, 1]],
    ['none', { '': [[]] }, []],
    [
      'a cursor that begins the next',
      { '': [[5, 4], '3'], 3: [[3, 2], '1'], 1: [[1]] },
      [5, 4, 3, 2, 1],
    ],
    [
      'a cursor that ended this one',
      { '': [[5, 4], '4'], 4: [[3, 2], '2'], 2: [[1]] },
      [5, 4, 3, 2, 1],
    ],
    ['chunks that overlap', { '': [[5, 4], '4'], 4: [[4, 3], '3'], 3: [[3, 2]] }, [5, 4, 3, 2]],
    ['an empty last one', { '': [[2, 1], '1'], 1: [[]] }, [2, 1]],
    ['null for no cursor', { '': [[2, 1], null] }, [2, 1]],
    ['an empty one in between', { '': [[3], 'a'], a: [[], 'b'], b: [[2]] }, [3, 2]],
  ])('%s', async (_, chunks, ids) => {
    expect(await idsOf(followChunks(chunksBy(chunks).fetchChunk, undefined))).toEqual(
      ids.map(String),
    )
  })

  test.each<[string, string | undefined, Error, string | undefined]>([
    ['the first chunk', undefined, new SvcError('unavailable', 'no'), undefined],
    ['a chunk', 'a', new SvcError('unavailable', 'no'), 'a'],
    ['a defect', 'a', new TypeError('no'), undefined],
  ])('the error of %s has the cursor to go on from', async (_, start, error, cursor) => {
    const chunks = followChunks(() => Promise.reject(error), start)
    const thrown: unknown = await chunks.next().catch((reason: unknown) => reason)
    expect(thrown).toMatchObject({ message: 'no' })
    expect(thrown instanceof SvcError).toBe(error instanceof SvcError)
    expect(thrown instanceof SvcError ? thrown.details.cursor : undefined).toBe(cursor)
  })

  test.each<[string, string | undefined, Parameters<typeof chunksBy>[0], string | undefined]>([
    ['the cursor that was sent', undefined, { '': [[3], 'a'], a: [[2], 'a'] }, 'a'],
    ['an earlier cursor', undefined, { '': [[3], 'a'], a: [[2], 'b'], b: [[1], 'a'] }, 'a'],
    ['the cursor the walk began with', 'a', { a: [[2], 'b'], b: [[1], 'a'] }, 'a'],
    ['an empty cursor', undefined, { '': [[3], ''] }, undefined],
  ])(
    '%s once more ends the walk with exit 7, after its messages',
    async (_, start, chunks, cursor) => {
      const { asked, fetchChunk } = chunksBy(chunks)
      const seen: string[] = []
      const walk = idsOf(followChunks(fetchChunk, start), seen)
      const error: unknown = await walk.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ exitCode: 7 })
      expect((error as SvcError).details.cursor).toBe(cursor)
      expect([seen.length, asked.length]).toEqual(Array(2).fill(Object.keys(chunks).length))
    },
  )

  test('no chunk is asked for that is not needed', async () => {
    const { asked, fetchChunk } = chunksBy({ '': [[5, 4], 'a'], a: [[3, 2], 'b'], b: [[1]] })
    for (const enough of [3, 4]) {
      asked.length = 0
      expect(await idsOf(followChunks(fetchChunk, undefined, enough))).toEqual(['5', '4', '3', '2'])
      expect(asked).toEqual([undefined, 'a'])
    }
  })
})
