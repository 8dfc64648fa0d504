/** `svc api --paginate`: the rows of all pages, or of all chunks, in the document of the last one. */
import { SvcError } from '../../errors.ts'
import { ExactJson } from '../../output/json.ts'

/** An object of an `ExactJson`: the names of its members begin with `$`, as its strings do; its numbers begin with `#`. */
type Marked = Record<string, unknown>

/**
 * Reads page after page, as each one says that there is another, and keeps their rows as they came. An answer without pages is returned as it
 * is. `read` takes a path and returns the text of the answer. Throws exit 7 when the service leads in circles.
 */
export async function allPages(
  read: (target: string) => Promise<string>,
  first: string,
): Promise<ExactJson> {
  const rows: unknown[] = []
  const asked = new Set<string>()
  let before = ''
  for (let target = first; ;) {
    const document = parse(await read(target))
    const data = objectIn(document.marked, '$data') ?? {}
    const next = nextTarget(first, data)
    if (next === undefined && target === first) return document
    const [name, page] = pageOf(data)
    for (const row of page) rows.push(row)
    if (next === undefined) {
      data[name] = rows
      return document
    }
    asked.add(target)
    if (asked.has(next)) throw ledTo('a page that was already read')
    const text = JSON.stringify(page)
    if (text === before)
      throw ledTo('the rows of the page before although it says there are more')
    before = text
    target = next
  }
}

function parse(text: string): ExactJson {
  const document = ExactJson.parse(text)
  if (document !== undefined) return document
  throw new SvcError('unavailable', 'the answer is not JSON, so it has no pages', {
    hint: 'leave out --paginate',
  })
}

function ledTo(what: string): SvcError {
  return new SvcError('unavailable', `the service led to ${what}`, {
    hint: 'the service contradicts itself',
  })
}

function objectIn(value: unknown, name: string): Marked | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const member = (value as Marked)[name]
  const isPlainObject =
    typeof member === 'object' && member !== null && !Array.isArray(member)
  return isPlainObject ? (member as Marked) : undefined
}

/** Arrays of the operations that have pages or chunks. */
const rowNames: ReadonlySet<string> = new Set(['$lists', '$members', '$messages'])

/** The rows of an answer: those of an operation, or else the only array. Throws exit 7. */
function pageOf(data: Marked): [name: string, page: readonly unknown[]] {
  const arrays = Object.entries(data).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  )
  const only = arrays.length === 1 ? arrays[0] : undefined
  const page = arrays.find(([name]) => rowNames.has(name)) ?? only
  if (page !== undefined) return page
  throw new SvcError(
    'unavailable',
    'a page has no array, or several arrays, so svc does not know which ones are its rows',
    {
      hint: 'leave out --paginate and ask for each page with --query',
    },
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
  // Everything after the first question mark is the query, including other question marks.
  const [path = '', ...query] = target.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  parameters.set(name, value)
  return `${path}?${parameters.toString()}`
}
