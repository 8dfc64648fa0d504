/** `svc api --paginate`: all pages, or all chunks, as one document of the shape of one answer. */
import { SvcError, usageError } from '../../errors.ts'
import { ExactJson } from '../../output/json.ts'
import { quote } from '../../words.ts'

/** Arrays of the operations that have pages or chunks. */
const rowNames: ReadonlySet<string> = new Set(['lists', 'members', 'messages'])

/** An object of an `ExactJson`: the names of its members begin with `$`, as its strings do; its numbers begin with `#`. */
type Marked = Record<string, unknown>

/**
 * Reads page after page and returns the last answer with the rows of all of them, each id once. An answer without pages is
 * returned as it is. `read` takes a path and returns the text of the answer. Throws exit 7 when the service leads in circles,
 * exit 2 when nobody can know which array is the page.
 */
export async function allPages(
  read: (target: string) => Promise<string>,
  first: string,
): Promise<ExactJson> {
  const rows = new Map<unknown, unknown>()
  const asked = new Set<string>()
  for (let target = first; ;) {
    asked.add(target)
    const document = ExactJson.parse(await read(target))
    if (document === undefined)
      throw new SvcError('unavailable', 'the answer is no JSON, so it has no pages', {
        hint: 'leave out --paginate',
      })
    const data = objectIn(document.marked, '$data') ?? {}
    const next = nextTarget(first, data)
    if (next === undefined && rows.size === 0) return document
    const [name, page] = pageOf(data)
    for (const row of page)
      rows.set((row as Marked | null)?.['$id'] ?? Symbol('without an id'), row)
    if (next === undefined) {
      data[name] = [...rows.values()]
      return document
    }
    if (page.length === 0 || asked.has(next)) {
      throw ledTo(
        page.length === 0
          ? 'an empty page although it says there are more'
          : 'a page that was already read',
      )
    }
    target = next
  }
}

function ledTo(what: string): SvcError {
  return new SvcError('unavailable', `the service led to ${what}`, {
    hint: 'the service contradicts itself',
  })
}

function objectIn(value: unknown, name: string): Marked | undefined {
  const member = typeof value === 'object' && value !== null ? (value as Marked)[name] : undefined
  return typeof member === 'object' && member !== null && !Array.isArray(member)
    ? (member as Marked)
    : undefined
}

/** The array that goes on from answer to answer: that of an operation, or else the only one. Throws exit 2. */
function pageOf(data: Marked): [name: string, page: readonly unknown[]] {
  const arrays = Object.entries(data).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  )
  const [only, other] = arrays
  if (only === undefined) throw ledTo('a page without rows')
  const page = other === undefined ? only : arrays.find(([name]) => rowNames.has(name.slice(1)))
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
  if (pagination?.['$hasNext'] === true)
    return withQuery(first, 'page', String(Number(String(pagination['$page']).slice(1)) + 1))
  const cursor = data['$nextChunkStartMessageId']
  return typeof cursor === 'string'
    ? withQuery(first, 'chunkLastMessageId', cursor.slice(1))
    : undefined
}

function withQuery(target: string, name: string, value: string): string {
  // Everything behind the first question mark is the query, with any others in it.
  const [path = '', ...query] = target.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  parameters.set(name, value)
  return `${path}?${parameters.toString()}`
}
