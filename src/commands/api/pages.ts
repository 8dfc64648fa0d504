/** `svc api --paginate`: all pages, or all chunks, as one document of the shape of one answer. */
import { followPages, type PageCount } from '../../api/paginate.ts'
import { SvcError, usageError } from '../../errors.ts'
import { ExactJson } from '../../output/json.ts'
import { isObject } from '../../values.ts'
import { quote } from '../../words.ts'

/** Arrays of the operations that have pages or chunks. */
const rowNames: ReadonlySet<string> = new Set(['lists', 'members', 'messages'])

/** An object of an `ExactJson`: the names of its members begin with `$`, as its strings do; its numbers begin with `#`. */
type Marked = Record<string, unknown>

/**
 * Reads page after page and returns the last answer with the rows of all of them, each id once; numbered pages that count their rows
 * are read again until nobody can be missing (`api/passes.ts`). An answer without pages is returned as it is. `read` takes a
 * path and returns the text of the answer. Throws exit 7 when the service leads in circles or no pass was whole, exit 2 when nobody
 * can know which array is the page.
 */
export async function allPages(
  read: (target: string) => Promise<string>,
  first: string,
): Promise<ExactJson> {
  const document = parse(await read(first))
  const data = objectIn(document.marked, '$data') ?? {}
  return isCounted(data)
    ? countedPages(read, first, document)
    : uncountedPages(read, first, document)
}

function parse(text: string): ExactJson {
  const document = ExactJson.parse(text)
  if (document !== undefined) return document
  throw new SvcError('unavailable', 'the answer is no JSON, so it has no pages', {
    hint: 'leave out --paginate',
  })
}

/** Whether an answer is the first of several pages with a total, and its rows have ids. */
function isCounted(data: Marked): boolean {
  const pagination = objectIn(data, '$pagination')
  const isFirstOfSeveral = pagination?.['$hasNext'] === true && pagination['$page'] === '#1'
  if (!isFirstOfSeveral) return false
  const total = numberIn(pagination, '$total')
  if (total === undefined) return false
  const [, rows] = pageOf(data)
  return rows.every(hasId)
}

async function countedPages(
  read: (target: string) => Promise<string>,
  first: string,
  firstDocument: ExactJson,
): Promise<ExactJson> {
  let last = firstDocument
  let isFirst = true
  const fetchPage = async ({ page }: { readonly page: number }) => {
    if (!isFirst) {
      const target = withQuery(first, 'page', String(page))
      last = parse(await read(target))
    }
    isFirst = false
    const data = objectIn(last.marked, '$data') ?? {}
    const [, rows] = pageOf(data)
    if (!rows.every(hasId)) throw ledTo('a row without an id, on a page of rows with ids')
    return {
      rows: rows.map((row) => ({ id: keyOf(row), row })),
      pagination: paginationIn(data),
    }
  }
  const rows: unknown[] = []
  // One request after the other: each page is read by the rules of any request.
  const pages = followPages(fetchPage, { limit: Infinity, ahead: false })
  for await (const { row } of pages) rows.push(row)
  const data = objectIn(last.marked, '$data') ?? {}
  const [name] = pageOf(data)
  data[name] = rows
  return last
}

async function uncountedPages(
  read: (target: string) => Promise<string>,
  first: string,
  firstDocument: ExactJson,
): Promise<ExactJson> {
  const rows = new Map<unknown, unknown>()
  const asked = new Set([first])
  for (let document = firstDocument; ;) {
    const data = objectIn(document.marked, '$data') ?? {}
    const next = nextTarget(first, data)
    if (next === undefined && rows.size === 0) return document
    const [name, page] = pageOf(data)
    for (const row of page) {
      const key = hasId(row) ? row.$id : Symbol('without an id')
      rows.set(key, row)
    }
    if (next === undefined) {
      data[name] = [...rows.values()]
      return document
    }
    if (page.length === 0) throw ledTo('an empty page although it says there are more')
    if (asked.has(next)) throw ledTo('a page that was already read')
    asked.add(next)
    document = parse(await read(next))
  }
}

type RowWithId = Readonly<Marked> & { readonly $id: string }

const hasId = (row: unknown): row is RowWithId => isObject(row) && typeof row['$id'] === 'string'

/** The id of a row, of a member that of its contact: one that comes back to a list is another member. */
function keyOf(row: RowWithId): string {
  const contact = row['$contact']
  return hasId(contact) ? contact.$id : row.$id
}

function paginationIn(data: Marked): PageCount {
  const pagination = objectIn(data, '$pagination') ?? {}
  const total = numberIn(pagination, '$total')
  if (total === undefined) throw ledTo('a page without a total')
  return { total, totalPages: 0, hasNext: pagination['$hasNext'] === true }
}

/** A number of an `ExactJson`, which is a text that begins with `#`. */
function numberIn(object: Marked, name: string): number | undefined {
  const value = object[name]
  if (typeof value !== 'string' || !value.startsWith('#')) return undefined
  const number = Number(value.slice(1))
  return Number.isInteger(number) ? number : undefined
}

function ledTo(what: string): SvcError {
  return new SvcError('unavailable', `the service led to ${what}`, {
    hint: 'the service contradicts itself',
  })
}

function objectIn(value: unknown, name: string): Marked | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const member = (value as Marked)[name]
  const isPlainObject = typeof member === 'object' && member !== null && !Array.isArray(member)
  return isPlainObject ? (member as Marked) : undefined
}

/** The array that goes on from answer to answer: that of an operation, or else the only one. Throws exit 2. */
function pageOf(data: Marked): [name: string, page: readonly unknown[]] {
  const arrays = Object.entries(data).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  )
  const [first, second] = arrays
  if (first === undefined) throw ledTo('a page without rows')
  if (second === undefined) return first
  const page = arrays.find(([name]) => rowNames.has(name.slice(1)))
  if (page !== undefined) return page
  const names = arrays.map(([name]) => quote(name.slice(1))).join(', ')
  throw usageError(
    `--paginate cannot tell which array of the answer is the page: ${names}`,
    'leave out --paginate and ask for each page with --query',
  )
}

/** API: Endpoints; a list's pages are numbered, a history's chunks have a cursor. */
function nextTarget(first: string, data: Marked): string | undefined {
  const pagination = objectIn(data, '$pagination')
  if (pagination?.['$hasNext'] === true) {
    const page = Number(String(pagination['$page']).slice(1))
    return withQuery(first, 'page', String(page + 1))
  }
  const cursor = data['$nextChunkStartMessageId']
  if (typeof cursor !== 'string') return undefined
  return withQuery(first, 'chunkLastMessageId', cursor.slice(1))
}

function withQuery(target: string, name: string, value: string): string {
  // Everything behind the first question mark is the query, with any others in it.
  const [path = '', ...query] = target.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  parameters.set(name, value)
  return `${path}?${parameters.toString()}`
}
