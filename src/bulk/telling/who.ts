/**
 * The people of a run, shown before anything is sent: rows of the user's own table, with names and lists by reading (`--who`). Questions, plans and dry runs show it, so
 * that a wrong file is noticed while it can be. `session.ts` and `preview.ts` ask for it.
 */
import { fullName } from '../../api/names.ts'
import type { ListMember } from '../../api/schemas.ts'
import { countsByList, readPeople } from '../../directory/people.ts'
import { SvcError } from '../../errors.ts'
import { isId, unwrapId } from '../../input/id.ts'
import { fewShown, type Sample, type SampleRow } from '../../input/search.ts'
import type { Column, PrintOptions } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { columnName, groupDigits } from '../../words.ts'
import type { Items } from '../record/items.ts'
import type { BulkOptions, BulkTools } from '../tools.ts'

/** Cells of a terminal: a column that is narrower shows nothing of a name. */
const leastWidth = 14
const usualWidth = 80
/** Lists with a count of their own; a contact can be on hundreds. */
const listsShown = 5

interface MeantItems {
  readonly sample?: Sample | undefined
  readonly items: Items
  /** `who`: names and lists are read too. */
  readonly options: Pick<BulkOptions, 'who'>
}

type Tools = Pick<BulkTools, 'api' | 'warn' | 'print'>

/** Words above a table, the titles of its columns, and the cells of the item at a position. */
interface Cells {
  readonly words: string
  readonly titles: readonly string[]
  readonly at: (position: number) => readonly string[]
}

/** Texts of a line or more about who is meant. `columns`: those of the terminal. Throws the error of a list that cannot be read. */
export async function aboutPeople(tools: Tools, meant: MeantItems, columns = usualWidth) {
  const { items, options } = meant
  const hasNames = options.who === true
  // The name and the lists need room too.
  const most = Math.floor((columns - 3) / leastWidth) - (hasNames ? 2 : 0)
  const own = ownCells(meant, Math.max(1, most))
  if (!hasNames)
    return own === undefined ? [] : [await someRows(tools.print, items, own, columns)]
  const source = { within: [], accept: {}, warn: tools.warn, api: await tools.api() }
  const people = await readPeople(source, ({ id }) => items.indexOf(id) >= 0)
  const ids = (position: number) => [items.at(position).id]
  const before = own ?? { words: 'contacts of your input', titles: ['CONTACT'], at: ids }
  const cells = {
    words: before.words,
    titles: [...before.titles, 'NAME', 'LISTS'],
    at: (position: number) => {
      const contact = people.find(items.at(position).id)
      const lists = contact?.lists.map(({ name }) => name).join('; ')
      const name = contact === undefined ? '' : fullName(contact)
      return [...before.at(position), name, lists ?? 'on none of the lists that were read']
    },
  }
  const text = await someRows(tools.print, items, cells, columns)
  const onNone = items.size - people.all.length
  return [text, listsText(countsByList(people.all), onNone), ...people.notes]
}

/** The other cells of the rows that the ids came from; undefined where the input has none. */
function ownCells({ sample, items }: MeantItems, most: number): Cells | undefined {
  if (sample?.table === undefined) return undefined
  const { table, first, last } = sample
  const rows = last === undefined ? first : [...first, last]
  const columns = columnsOf(table, rows, most)
  if (columns.length === 0 || items.size === 0) return undefined
  const byPosition = new Map(rows.map((row) => [row.position, row.cells]))
  return {
    words: 'rows of your table',
    titles: columns.map(({ title }) => title),
    at: (position) => columns.map(({ place }) => byPosition.get(position)?.[place] ?? ''),
  }
}

/** The members around the one that a heading names: `contact.` of `contact.name`. */
const outerMembers = /^(?:\w+\.)+(?=\w)/

/** Headings of columns of ids, whose cells do not tell a person who is meant. */
const idHeading = /^(?:MATCH|.*\bid|.*Id)$/

/** The first columns of a table that are neither ids nor empty. Of pairs, the column of ids comes first. */
function columnsOf(
  { headings, idColumns }: NonNullable<Sample['table']>,
  rows: readonly SampleRow[],
  most: number,
) {
  const count = Math.max(headings.length, ...rows.map(({ cells }) => cells.length))
  const [ownIds, ...secondParties] = idColumns
  const hasNames = (place: number): boolean =>
    rows.some(({ cells }) => !isId(unwrapId(cells[place] ?? '')))
  return Array.from({ length: count }, (_, place) => ({
    place,
    title: headings[place]?.replace(outerMembers, '') ?? columnName(place),
  }))
    .filter(({ place, title }) => {
      const isOfIds = place === ownIds || idHeading.test(title)
      // New assignees may be there by name.
      const isOther = !isOfIds && (!secondParties.includes(place) || hasNames(place))
      return isOther && rows.some(({ cells }) => (cells[place] ?? '').trim() !== '')
    })
    .slice(0, most)
}

/** How many people are on each list, the most first, and on none. */
export function listsText(
  lists: readonly { readonly name: string; readonly count: number }[],
  none: number,
): string {
  const counts = lists
    .slice(0, listsShown)
    .map(({ name, count }) => `${groupDigits(count)} on "${safe(name)}"`)
  const more = lists.length - counts.length
  if (more > 0) counts.push(`some on ${groupDigits(more)} more lists`)
  if (none > 0) counts.push(`${groupDigits(none)} on none of the lists that were read`)
  return counts.join(', ')
}

/** How many of the ids are members already, and that in words. A key that may not read loses that and nothing else. */
export async function countPresent(members: AsyncIterable<ListMember>, items: Items) {
  const seen = new Set<number>()
  try {
    for await (const { contact } of members) {
      const position = items.indexOf(contact.id)
      if (position >= 0) seen.add(position)
    }
  } catch (error) {
    if (!(error instanceof SvcError) || error.category !== 'forbidden') throw error
    const words = 'the list could not be read, so how many are on it already is unknown'
    return { count: 0, words: `${words}: ${safe(error.message)}` }
  }
  const count = seen.size
  const others = items.size - count
  if (others === 0) return { count, words: 'all of them are on the list already' }
  const present = `${groupDigits(count)} on the list already`
  return { count, words: `${present}, ${groupDigits(others)} would be added if they exist` }
}

/** The first rows and the last one, as a plain table two spaces in, under words that say what it is. */
async function someRows(
  print: PrintOptions,
  items: Items,
  { words, titles, at }: Cells,
  width: number,
): Promise<string> {
  const first = print.truncate ? Math.min(items.size, fewShown) : items.size
  const begin = Array.from({ length: first }, (_, position) => at(position))
  const end = items.size > first ? [at(items.size - 1)] : []
  const left = items.size - begin.length - end.length
  const between = left > 0 ? [[`(${groupDigits(left)} more)`]] : []
  const rows = [...begin, ...between, ...end]
  const { tableText } = await import('../../output/formats/table.ts')
  const columns = titles.map((title, place): Column => ({
    title: safe(title),
    field: String(place),
    floor: 6,
  }))
  const computed = Object.fromEntries(
    columns.map(
      ({ field }, place) => [field, (row: readonly string[]) => row[place]] as const,
    ),
  )
  const plain = {
    format: 'table',
    fields: undefined,
    header: true,
    color: false,
  } as const
  let text = ''
  const options = { ...print, ...plain, width: width - 3 }
  for await (const piece of tableText(rows, { columns, computed }, options)) text += piece
  const title = left > 0 ? `${words} (--no-truncate shows them all)` : words
  const indented = text.trimEnd().replace(/^/gm, '  ')
  return `${title}:\n${indented}`
}
