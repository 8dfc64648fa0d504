/**
 * The people of a run, shown before anything is sent: rows of the user's own table, and with `--who` names and lists, or tickets as they are now. Questions, plans and dry
 * runs show it, so that a wrong file is noticed while it can be.
 */
import { fullName, namesOf } from '../../api/names.ts'
import { readPeople } from '../../api/people.ts'
import type { Employee, Ticket } from '../../api/schemas.ts'
import { SvcError } from '../../errors.ts'
import { isId, unwrapId } from '../../input/id.ts'
import { fewShown, type Sample } from '../../input/search.ts'
import type { Column, PrintOptions } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { columnName, groupDigits } from '../../words.ts'
import { isSameId } from '../batch.ts'
import type { ResolvedJob, RunTools } from '../jobs/job.ts'
import { employeeOf, isActive } from '../operations/assign.ts'
import { operationOf } from '../operations/operations.ts'

/** The least width of a column, in terminal cells. A narrower one would not show a name. */
const leastWidth = 14
const usualWidth = 80

/** `options.who`: names and lists are read too, or the tickets. */
type Meant = Pick<ResolvedJob, 'operation' | 'parameters' | 'items' | 'options' | 'sample'>
type WhoTools = Pick<RunTools, 'api' | 'employees' | 'print'>

/** A column of the table: its cell for the item at a position. */
interface ShownColumn {
  readonly title: string
  readonly at: (position: number) => string
}

/** Texts of one or more lines that show who is affected. `width`: that of the terminal. Throws the error of what cannot be read. */
export async function aboutPeople(tools: WhoTools, meant: Meant, width = usualWidth) {
  const { items, options, sample, operation } = meant
  const { item } = operationOf(operation)
  const { columns: read = [], notes = [] } =
    options.who === true ? await readAbout(tools, meant) : {}
  // What is read needs room too.
  const most = Math.floor((width - 3) / leastWidth) - read.length
  const own = sample === undefined ? [] : ownColumns(sample).slice(0, Math.max(1, most))
  if (items.size === 0 || own.length + read.length === 0) return notes
  const idColumn = {
    title: item.toUpperCase(),
    at: (position: number) => items.at(position).id,
  }
  const columns = [...(own.length === 0 ? [idColumn] : own), ...read]
  const words = own.length === 0 ? `${item}s of your input` : 'rows of your table'
  return [await someRows(tools.print, items.size, { words, columns }, width), ...notes]
}

/** Columns with what the service knows of the items, and sentences about all of them. */
async function readAbout(
  tools: WhoTools,
  meant: Meant,
): Promise<{ columns: readonly ShownColumn[]; notes: readonly string[] }> {
  const { items, operation } = meant
  if (operation === 'tickets.assign') {
    const tickets = await readTicketsNow(tools, meant)
    const columns = Object.entries(ticketColumns).map(([title, field]) => ({
      title,
      at: (position: number): string => tickets[position]?.[field] ?? '',
    }))
    return { columns, notes: [countTickets(tickets)] }
  }
  const source = { within: [], accept: {}, api: await tools.api() }
  const targets = items.pairs.map(({ other }) => other)
  const wanted = new Set([...items.ids, ...targets].map((id) => id.toLowerCase()))
  wanted.delete('')
  const people = await readPeople(source, ({ id }) => wanted.has(id.toLowerCase()))
  const nameOf = (id = ''): string | undefined => {
    const contact = people.find(id)
    return contact && fullName(contact)
  }
  const listsOf = (id: string): string | undefined =>
    people
      .find(id)
      ?.lists.map(({ name }) => name)
      .join('; ')
  const columns: ShownColumn[] = [
    { title: 'NAME', at: (position) => nameOf(items.at(position).id) ?? '' },
    { title: 'LISTS', at: (position) => listsOf(items.at(position).id) ?? notRead },
  ]
  // The contact that stays is as much a part of a merge.
  if (operation === 'contacts.merge')
    columns.push({
      title: 'INTO',
      at: (position) => nameOf(items.at(position).other) ?? notRead,
    })
  return { columns, notes: people.extent(wanted.size === people.all.length) }
}

const notRead = 'not on any list that was read'

const ticketColumns = {
  STATUS: 'status',
  ASSIGNEE: 'assignee',
  'CAN TAKE': 'canTake',
} as const

/** Tickets that are read at the same time. */
const readAtOnce = 4

type TicketsAsked = Pick<ResolvedJob, 'items' | 'parameters'>

/** A ticket before its change. */
interface TicketNow {
  readonly status: string
  readonly assignee: string
  /** `yes`, or why not. */
  readonly canTake: string
}

/** The tickets in the order of the job. Throws errors that all of them would have. */
async function readTicketsNow(
  tools: Pick<RunTools, 'api' | 'employees'>,
  job: TicketsAsked,
): Promise<TicketNow[]> {
  const { items } = job
  const [{ tickets }, employees] = await Promise.all([tools.api(), tools.employees()])
  const names = namesOf(employees)
  const found: TicketNow[] = []
  let next = 0
  async function readOn(): Promise<void> {
    for (let position = next++; position < items.size; position = next++) {
      try {
        const { ticket } = await tickets.chunk(items.at(position).id)
        const { status, assigneeId } = ticket
        const assignee =
          assigneeId == null ? '' : (names.get(assigneeId.toLowerCase()) ?? assigneeId)
        const canTake = verdictOn(ticket, position, job, employees)
        found[position] = { status: status ?? '', assignee, canTake }
      } catch (error) {
        if (!(error instanceof SvcError) || !isOfOne(error)) throw error
        found[position] = {
          status: '',
          assignee: '',
          canTake: `unknown: ${safe(error.message)}`,
        }
      }
    }
  }
  await Promise.all(Array.from({ length: readAtOnce }, readOn))
  return found
}

/** Whether the error says nothing about other tickets. */
function isOfOne({ category }: SvcError): boolean {
  return category === 'rejected' || category === 'forbidden'
}

/** By the rules that can be seen from here: the service has more, such as channels. */
function verdictOn(
  { status, assigneeId }: Ticket,
  position: number,
  { items, parameters }: TicketsAsked,
  employees: readonly Employee[],
): string {
  const { to, ifAssignee } = parameters
  const wanted = items.at(position).other ?? to?.id ?? ''
  if (assigneeId == null) return 'no: nobody has it'
  if (isSameId(assigneeId, wanted)) return 'has it already'
  if (ifAssignee !== undefined && !isSameId(assigneeId, ifAssignee.id)) return 'kept'
  if (status !== 'active') return `no: it is ${status ?? 'of no status'}`
  const employee = employeeOf(employees, wanted)
  if (isActive(employees, employee) === false) return 'no: not active'
  return employee?.channels?.length === 0 ? 'no: no channels' : 'yes'
}

/** `the new assignee can take: 3 yes, 1 kept`. */
function countTickets(tickets: readonly TicketNow[]): string {
  const verdicts = tickets.map(({ canTake }) => canTake.replace(/:.*/s, ''))
  const counts = [...new Set(verdicts)].map((verdict) => {
    const { length } = verdicts.filter((each) => each === verdict)
    return `${groupDigits(length)} ${verdict}`
  })
  return `the new assignee can take: ${counts.join(', ')}`
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
