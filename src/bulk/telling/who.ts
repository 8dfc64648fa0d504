/**
 * Who is meant, before anything is sent: rows of the user's own table, names and lists by reading (`--who`), and employees to whom the
 * service will refuse to assign. Questions, plans and dry runs show it, so that a wrong file is noticed while it can be.
 * `sessions/from-job.ts` and `sessions/unsent.ts` ask for it, and `plans/write-plan.ts` puts it beside a plan.
 */
import { fullName, namesOf } from '../../api/names.ts'
import type { ListMember } from '../../api/schemas.ts'
import { SvcError, messageOf } from '../../errors.ts'
import { readPeople, type DirectorySource } from '../../directory/people.ts'
import { isId, unwrapId } from '../../input/id.ts'
import { fewShown, type Sample, type SampleRow } from '../../input/search.ts'
import type { Column, PrintOptions } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { columnName, groupDigits, pluralize } from '../../words.ts'
import type { Batches } from '../record/batches.ts'
import type { Items } from '../record/items.ts'
import type { BulkOptions, BulkTools } from '../tools.ts'
import { refusalOf } from '../operations/assign.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { ParameterValues } from '../record/run.ts'
import type { ItemsOf } from '../operations/operation.ts'
import { targetOf, targetParameter } from '../operations/operations.ts'

/** Cells of a terminal: a column that is narrower shows nothing of a name. */
const leastWidth = 14
const usualWidth = 80
/** Lists with a count of their own; a contact can be on hundreds. */
const listsShown = 5

type ReadingTools = Pick<BulkTools, 'api' | 'warn'>

interface MeantItems {
  readonly sample?: Sample | undefined
  readonly items: Items
  readonly batches: Batches
  /** How many of them are asked about, if not all. */
  readonly count?: number
  /** `who`: names and lists are read too. */
  readonly options: Pick<BulkOptions, 'who'>
}

/** Texts of a line or more about who is meant. `columns`: those of the terminal. Throws the error of a list that cannot be read. */
export async function aboutPeople(
  tools: ReadingTools & Pick<BulkTools, 'print'>,
  meant: MeantItems,
  columns = usualWidth,
) {
  const { print } = tools
  const rows = await tableRows(meant, tableOptions(print, columns))
  if (meant.options.who !== true) return rows
  const lines = await whoLines(await allLists(tools), meant, print, columns)
  return [...rows, ...lines]
}

/** Where names and lists of contacts are read: all lists of the account. */
export async function allLists({ api, warn }: ReadingTools): Promise<DirectorySource> {
  // No list is named, so no name can be nearly one.
  return {
    within: [],
    accept: {},
    warn,
    api: await api(),
  }
}

/** A plain table, whatever the output of the command is: it is a part of a question, which indents it. */
function tableOptions(print: PrintOptions, columns: number): PrintOptions {
  const plain = {
    format: 'table',
    fields: undefined,
    header: true,
    truncate: true,
    color: 0,
  } as const
  return { ...print, ...plain, width: columns - 3 }
}

/** People or tickets of a job, of whom some are shown. */
interface ShownItems {
  readonly kind: ItemsOf['kind']
  /** Headings of their cells. */
  readonly titles: readonly string[]
  readonly count: number
  readonly cellsAt: (n: number) => readonly string[]
}

/** The first ones and the last one, as a table for a terminal of so many columns. */
export function itemsText(
  { kind, titles, count, cellsAt }: ShownItems,
  print: PrintOptions,
  columns: number,
): Promise<string> {
  const first = print.truncate ? Math.min(count, fewShown) : count
  const begin = Array.from({ length: first }, (_, n) => cellsAt(n))
  const end = count > first ? [cellsAt(count - 1)] : []
  const some = { begin, end, count }
  const heading = kind === 'contact' ? 'who they are' : `the ${kind}s`
  return someRows(heading, titles, some, tableOptions(print, columns))
}

/** The other cells of the first rows and the last one. Empty where the input has none. */
async function tableRows(
  { sample, batches, count }: MeantItems,
  print: PrintOptions,
): Promise<string[]> {
  if (sample?.table === undefined) return []
  const { table, first, last } = sample
  const isSent = ({ position }: SampleRow): boolean =>
    position >= batches.from && position < batches.to
  const begin = first.filter(isSent)
  const end = last !== undefined && isSent(last) ? [last] : []
  const sent = [...begin, ...end]
  const width = print.width ?? usualWidth
  const columnsThatFit = Math.max(1, Math.floor(width / leastWidth))
  const columns = columnsOf(table, sent, columnsThatFit)
  const texts = ({ cells }: SampleRow): string[] => columns.map(({ place }) => cells[place] ?? '')
  if (columns.length === 0 || sent.length === 0) return []
  const titles = columns.map(({ title }) => title)
  const total = count ?? batches.to - batches.from
  const some = {
    begin: begin.map(texts),
    end: end.map(texts),
    count: total,
  }
  return [await someRows('rows of your table', titles, some, print)]
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

/** Names by the lists that are read, and how many of the ids are on each list. */
async function whoLines(
  source: DirectorySource,
  { items, batches }: Pick<MeantItems, 'items' | 'batches'>,
  print: PrintOptions,
  columns: number,
) {
  const { from, to } = batches
  const isMeant = (position: number): boolean => position >= from && position < to
  const people = await readPeople(source, ({ id }) => isMeant(items.indexOf(id)))
  const cellsAt = (n: number): string[] => {
    const id = items.id(from + n)
    const contact = people.find(id)
    if (contact === undefined) return [id, '', 'on none of the lists that were read']
    const lists = contact.lists.map(({ name }) => name)
    return [id, fullName(contact), lists.join('; ')]
  }
  const count = to - from
  const shown = { kind: 'contact', titles: ['CONTACT', 'NAME', 'LISTS'], count, cellsAt } as const
  const text = await itemsText(shown, print, columns)
  const onNone = count - people.all.length
  return [text, listsText(people.countsByList(), onNone), ...people.notes]
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
export async function countPresent(
  members: AsyncIterable<ListMember>,
  { items, batches }: Pick<MeantItems, 'items' | 'batches'>,
) {
  const seen = new Set<number>()
  try {
    for await (const { contact } of members) {
      const position = items.indexOf(contact.id)
      if (position >= batches.from && position < batches.to) seen.add(position)
    }
  } catch (error) {
    if (!(error instanceof SvcError) || error.category !== 'forbidden') throw error
    const words = 'the list could not be read, so how many are on it already is unknown'
    return { count: 0, words: `${words}: ${safe(error.message)}` }
  }
  const count = seen.size
  const others = batches.to - batches.from - count
  if (others === 0) return { count, words: 'all of them are on the list already' }
  const present = `${groupDigits(count)} on the list already`
  return { count, words: `${present}, ${groupDigits(others)} would be added if they exist` }
}

type Cells = readonly string[]

/** Rows of which those in the middle are left out. */
interface SomeRows {
  readonly begin: readonly Cells[]
  readonly end: readonly Cells[]
  /** With those in between. */
  readonly count: number
}

/** A table as every other one, two blanks in, under words that say what it is. */
async function someRows(
  what: string,
  titles: readonly string[],
  { begin, end, count }: SomeRows,
  print: PrintOptions,
) {
  const left = count - begin.length - end.length
  const between = left > 0 ? [[`(${groupDigits(left)} more)`]] : []
  const rows = [...begin, ...between, ...end]
  const { tableText } = await import('../../output/formats/table.ts')
  const columns = titles.map((title, place): Column => ({
    title: safe(title),
    field: String(place),
    floor: 6,
  }))
  const computed = Object.fromEntries(
    columns.map(({ field }, place) => [field, (row: Cells) => row[place]] as const),
  )
  let text = ''
  for await (const piece of tableText(rows, { columns, computed }, print)) text += piece
  const title = left > 0 ? `${what} (--no-truncate shows them all)` : what
  const indented = text.trimEnd().replace(/^/gm, '  ')
  return `${title}:\n${indented}`
}

interface Assignments {
  readonly parameters: ParameterValues
  readonly items: Items
  readonly batches: Batches
}

/** Warns of employees whose tickets the service will refuse, as far as the list of employees tells. */
export async function warnOfAssignees(
  { employees, warn, note }: Pick<BulkTools, 'employees' | 'warn' | 'note'>,
  operation: BulkOperation,
  assignments: Assignments,
): Promise<void> {
  if (targetParameter(operation)?.kind !== 'employee') return
  try {
    const all = await employees()
    const names = namesOf(all)
    for (const [id, count] of countAssignees(operation, assignments)) {
      const refusal = refusalOf(all, id)
      const name = names.get(id.toLowerCase())
      const who = name === undefined ? id : JSON.stringify(safe(name))
      const tickets = pluralize(count, 'ticket')
      if (refusal !== undefined) warn(`the service will refuse ${tickets}: ${who} ${refusal}`)
    }
  } catch (error) {
    if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
    note(
      `employees could not be read, so it is unknown whether they are active: ${safe(messageOf(error))}`,
    )
  }
}

/** Tickets by the id of their new assignee. */
function countAssignees(
  operation: BulkOperation,
  { parameters, items, batches: { from, to } }: Assignments,
): ReadonlyMap<string, number> {
  const common = targetOf(operation, parameters)
  if (common !== undefined) return new Map([[common.id, to - from]])
  const counts = new Map<string, number>()
  const pairs = items.pairs?.slice(from, to) ?? []
  for (const { other } of pairs) {
    const id = other.toLowerCase()
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}
