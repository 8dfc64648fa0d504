/**
 * The people of a run, shown before anything is sent: rows of the user's own table, with names and lists by reading (`--who`). Questions, plans and dry
 * runs show it, so that a wrong file is noticed while it can be.
 */
import { fullName } from '../../api/names.ts'
import { readPeople } from '../../api/people.ts'
import { isId, unwrapId } from '../../input/id.ts'
import { fewShown, type Sample } from '../../input/search.ts'
import type { Column, PrintOptions } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { columnName, groupDigits } from '../../words.ts'
import type { Items } from '../items.ts'
import type { BulkOptions, RunTools } from '../jobs/job.ts'

/** The least width of a column, in terminal cells. A narrower one would not show a name. */
const leastWidth = 14
const usualWidth = 80

interface MeantItems {
  readonly sample?: Sample | undefined
  readonly items: Items
  /** `who`: names and lists are read too. */
  readonly options: Pick<BulkOptions, 'who'>
}

type Tools = Pick<RunTools, 'api' | 'warn' | 'print'>

/** A column of the table: its cell for the item at a position. */
interface ShownColumn {
  readonly title: string
  readonly at: (position: number) => string
}

/** Texts of one or more lines that show who is affected. `width`: that of the terminal. Throws the error of a list that cannot be read. */
export async function aboutPeople(tools: Tools, meant: MeantItems, width = usualWidth) {
  const { items, options, sample } = meant
  const hasNames = options.who === true
  // The name and the lists need room too.
  const most = Math.floor((width - 3) / leastWidth) - (hasNames ? 2 : 0)
  const own = sample === undefined ? [] : ownColumns(sample).slice(0, Math.max(1, most))
  const idOf = (position: number): string => items.at(position).id
  const show = (columns: readonly ShownColumn[]): Promise<string> => {
    const words = own.length === 0 ? 'contacts of your input' : 'rows of your table'
    return someRows(tools.print, items.size, { words, columns }, width)
  }
  if (!hasNames) return own.length === 0 || items.size === 0 ? [] : [await show(own)]
  const source = { within: [], accept: {}, api: await tools.api() }
  const people = await readPeople(source, ({ id }) => items.indexOf(id) >= 0)
  const contactAt = (position: number) => people.find(idOf(position))
  const text = await show([
    ...(own.length === 0 ? [{ title: 'CONTACT', at: idOf }] : own),
    {
      title: 'NAME',
      at(position) {
        const contact = contactAt(position)
        return contact === undefined ? '' : fullName(contact)
      },
    },
    {
      title: 'LISTS',
      at(position) {
        const lists = contactAt(position)?.lists.map(({ name }) => name)
        return lists?.join('; ') ?? 'not on any list that was read'
      },
    },
  ])
  const isFound = items.size === people.all.length
  return [text, ...people.extent(isFound)]
}

/** The columns of the input table, except empty ones and columns of ids, which do not show a person who is affected. */
function ownColumns({ table, first, last }: Sample): readonly ShownColumn[] {
  if (table === undefined) return []
  const rows = last === undefined ? first : [...first, last]
  const byPosition = new Map(rows.map(({ position, cells }) => [position, cells]))
  const count = Math.max(table.headings.length, ...rows.map(({ cells }) => cells.length))
  return Array.from({ length: count }, (_, place) => {
    const at = (position: number): string => byPosition.get(position)?.[place] ?? ''
    // The words of a match are the same in each row.
    const heading = table.headings[place] ?? columnName(place)
    const title = heading.replace(/^(?:\w+\.)+(?=\w)/, '')
    return { title, at, texts: rows.map(({ position }) => at(position).trim()) }
  }).filter(
    ({ title, texts }) =>
      title !== 'MATCH' && texts.some((text) => text !== '' && !isId(unwrapId(text))),
  )
}

/** The first rows and the last one, as a plain table two spaces in, under words that say what it is. */
async function someRows(
  print: PrintOptions,
  count: number,
  { words, columns }: { readonly words: string; readonly columns: readonly ShownColumn[] },
  width: number,
): Promise<string> {
  const first = print.truncate ? Math.min(count, fewShown) : count
  const left = count - first - 1
  const rows = Array.from({ length: first }, (_, position) => position)
  // The row without a position counts the rows in between.
  if (left > 0) rows.push(-1)
  if (left >= 0) rows.push(count - 1)
  const { tableText } = await import('../../output/formats/table.ts')
  const fields = columns.map(({ title }, place): Column => ({
    title: safe(title),
    field: String(place),
    floor: 6,
  }))
  const between = (place: number): string =>
    place === 0 ? `(${groupDigits(left)} more)` : ''
  const computed = Object.fromEntries(
    columns.map(({ at }, place) => [
      String(place),
      (position: number) => (position < 0 ? between(place) : at(position)),
    ]),
  )
  const plain = { format: 'table', fields: undefined, header: true, color: false } as const
  let text = ''
  const options = { ...print, ...plain, width: width - 3 }
  for await (const piece of tableText(rows, { columns: fields, computed }, options)) {
    text += piece
  }
  const title = left > 0 ? `${words} (--no-truncate shows them all)` : words
  return `${title}:\n${text.trimEnd().replace(/^/gm, '  ')}`
}
