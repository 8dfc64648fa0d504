/** Reads of pages, whatever the service says and others change meanwhile. */
import { describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { followPages, type FetchPage } from '../../src/api/pages.ts'
import { amount } from '../amount.ts'
import { Dice } from '../dice.ts'
import { table } from '../table.ts'

interface Row {
  readonly id: string
}

type Pagination = Awaited<ReturnType<FetchPage<Row>>>['pagination']

/** A service with these rows, newest first, and the changes that others make before each page. */
function serving(
  rows: Row[],
  { size, changes = () => undefined }: { size?: number; changes?: (count: number) => void } = {},
) {
  const asked: number[] = []
  const fetchPage = ({ page, limit }: { page: number; limit: number }) => {
    asked.push(page)
    changes(asked.length)
    const end = page * (size ?? limit)
    const pagination = { total: rows.length, hasNext: end < rows.length }
    return Promise.resolve({ rows: rows.slice(end - (size ?? limit), end), pagination })
  }
  return { asked, fetchPage }
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: `row ${count - n}` }))

async function read(fetchPage: FetchPage<Row>, limit?: number) {
  const ids: string[] = []
  const pages = followPages(fetchPage, 'rows', limit)
  let step = await pages.next()
  for (; step.done !== true; step = await pages.next()) ids.push(step.value.id)
  return { ids, ...step.value }
}

/** One read while up to four writers add and remove members before each page. Returns the stayers that it lacks. */
async function readAmongWriters(seed: number) {
  const { random } = new Dice(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const rows = rowsOf(below(40))
  const stayers = new Set(rows.map(({ id }) => id))
  const [writers, pace, joining] = [1 + below(4), random() ** 2, random()]
  let joined = 0
  const write = () => {
    if (random() < joining) rows.unshift({ id: `new ${(joined += 1)}` })
    else if (rows.length > 0) stayers.delete(rows.splice(below(rows.length), 1)[0]?.id ?? '')
  }
  const changes = (count: number) => {
    for (let writer = 0; count > 1 && writer < writers; writer += 1) if (random() < pace) write()
  }
  const { fetchPage } = serving(rows, { size: 1 + below(6), changes })
  try {
    const { ids } = await read(fetchPage)
    return [...stayers].filter((id) => !ids.includes(id))
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 7) return 'not whole'
    throw error
  }
}

describe('pages', () => {
  // Rows that there are, the limit; rows that come, pages that are asked for.
  const asking = table(`
    all, 100 a page, and the first again | 250 | | 250 | 1 2 3 1
    exactly full pages | 200 | | 200 | 1 2 1
    one page is one answer | 100 | | 100 | 1
    nothing there | 0 | | 0 | 1
    a limit within the first page | 250 | 50 | 50 | 1
    a limit at a seam asks for no more | 250 | 100 | 100 | 1
    a limit one beyond a seam | 250 | 101 | 101 | 1 2
    a limit that is exactly all | 100 | 100 | 100 | 1
    a limit beyond all is all | 150 | 200 | 150 | 1 2 1`)
  test.each(asking)('%s', async (_, count, limit = '', shown, pages) => {
    const { asked, fetchPage } = serving(rowsOf(Number(count)))
    const { ids, total } = await read(fetchPage, limit === '' ? undefined : Number(limit))
    expect([ids.length, total, asked.join(' ')]).toEqual([Number(shown), Number(count), pages])
  })

  /** The pages that are asked for, and the ids, when this happens before the second page. */
  async function readWhile(change: (rows: Row[]) => void) {
    const rows = rowsOf(6)
    const changes = (count: number) => void (count === 2 && change(rows))
    const { asked, fetchPage } = serving(rows, { size: 3, changes })
    const { ids } = await read(fetchPage)
    return [asked.join(' '), ids.map((id) => id.replace('row ', '')).join(' ')]
  }

  test('who joins is added behind the others; who leaves begins the read again', async () => {
    expect(await readWhile((rows) => rows.unshift({ id: 'new' }))).toEqual([
      '1 2 3 1',
      '6 5 4 3 2 1 new',
    ])
    expect(await readWhile((rows) => rows.splice(0, 1))).toEqual(['1 2 1 2 1', '6 5 4 3 2 1'])
    const both = (rows: Row[]) => void (rows.splice(1, 1), rows.unshift({ id: 'new' }))
    expect(await readWhile(both)).toEqual(['1 2 1 1 2 1', '6 5 4 3 2 1 new'])
  })

  const listed = (rows: Row[], pagination: Pagination) => ({ rows, pagination })
  let falling = 900
  test.each<[string, FetchPage<Row>, number]>([
    [
      'an empty page that announces more',
      async ({ page }) => listed(page === 1 ? rowsOf(100) : [], { total: 900, hasNext: true }),
      8,
    ],
    ['the same page', async () => listed(rowsOf(100), { total: 250, hasNext: true }), 12],
    [
      'fewer rows than are counted',
      async () => listed(rowsOf(9), { total: 10, hasNext: false }),
      4,
    ],
    [
      'a total that falls with each request',
      async () => listed(rowsOf(100), { total: (falling -= 1), hasNext: true }),
      8,
    ],
  ])('%s: exit 7 after four reads', async (_, fetchPage, requests) => {
    let asked = 0
    const counted: FetchPage<Row> = (query) => ((asked += 1), fetchPage(query))
    await expect(read(counted)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringContaining('changed each of the 4 times') as string,
    })
    expect(asked).toBe(requests)
  })

  test('ids are the same in either letter case; a contact that returns comes once', async () => {
    const contact = { id: 'a' }
    const rows = [
      { id: '1', contact },
      { id: '2', contact: { id: 'A' } },
      { id: '3', contact: { id: 'b' } },
    ]
    expect((await read(serving(rows, { size: 2 }).fetchPage)).ids).toEqual(['1', '3'])
  })

  test('no read that is called whole lacks somebody who stayed', async () => {
    const reads = amount(3000)
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
