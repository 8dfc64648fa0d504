/** `svc api --paginate`: all pages, or all chunks, as one document of the shape of one answer. */
import { SvcError } from '../../errors.ts'
import { ExactJson } from '../../output/json.ts'
import { isJson } from './request.ts'

/** An object of an `ExactJson`: the names of its members begin with `$`, as its strings do; its numbers begin with `#`. */
type Marked = Record<string, unknown>

/**
 * Reads page after page and returns the last answer with the rows of all of them, each id once. An answer without pages is
 * returned as it is. `read` takes a path and returns the text of the answer. Throws exit 7 when the service leads in circles.
 */
export async function allPages(read: (target: string) => Promise<string>, first: string): Promise<ExactJson> {
  const rows = new Map<unknown, unknown>()
  const asked = new Set<string>()
  for (let target = first; ;) {
    asked.add(target)
    const text = await read(target)
    if (!isJson(text))
      throw new SvcError('unavailable', 'the answer is no JSON, so it has no pages', { hint: 'leave out --paginate' })
    const document = ExactJson.parse(text)
    const data = objectIn(document.marked, '$data')
    const list = Object.entries(data ?? {}).find((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
    if (data === undefined || list === undefined) return document
    const [name, page] = list
    for (const row of page) rows.set((row as Marked | null)?.['$id'] ?? Symbol('without an id'), row)
    const next = nextTarget(first, data)
    if (next === undefined) {
      data[name] = [...rows.values()]
      return document
    }
    if (page.length === 0 || asked.has(next)) {
      const what = page.length === 0 ? 'an empty page although it says there are more' : 'a page that was already read'
      throw new SvcError('unavailable', `the service led to ${what}`, { hint: 'the service contradicts itself' })
    }
    target = next
  }
}

function objectIn(value: unknown, name: string): Marked | undefined {
  const member = typeof value === 'object' && value !== null ? (value as Marked)[name] : undefined
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? (member as Marked) : undefined
}

/** API: Endpoints; a list's pages are numbered, a history's chunks have a cursor. */
function nextTarget(first: string, data: Marked): string | undefined {
  const pagination = objectIn(data, '$pagination')
  if (pagination?.['$hasNext'] === true)
    return withQuery(first, 'page', String(Number(String(pagination['$page']).slice(1)) + 1))
  const cursor = data['$nextChunkStartMessageId']
  return typeof cursor === 'string' ? withQuery(first, 'chunkLastMessageId', cursor.slice(1)) : undefined
}

function withQuery(target: string, name: string, value: string): string {
  // What follows the first question mark is the query, with any others in it.
  const [path = '', ...query] = target.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  parameters.set(name, value)
  return `${path}?${parameters.toString()}`
}
