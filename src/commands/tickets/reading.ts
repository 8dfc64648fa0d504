/** A ticket's history as rows that every format can print. */
import type { Message } from '../../api/schemas.ts'
import type { Ending, Rows, View } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { namedMessageView, type MessageRow } from '../../resources/message.ts'
import { grouped } from '../../words.ts'
import { employeeNames, employeesOf, type Employees } from './names.ts'
import { readHistory, type HistoryChoice } from './walk.ts'

/** A history whose first chunk is there. */
export interface OpenHistory {
  readonly messages: AsyncGenerator<MessageRow, Ending>
  readonly more: Pick<Rows<MessageRow>, 'empty' | 'frame' | 'conversation'>
}

/** Opens histories, any number of them at once. Employees are read once, and only where their names are shown. */
export class HistoryReader {
  readonly #context: Context
  readonly #choice: HistoryChoice
  readonly #isTable: boolean
  readonly #showsNames: boolean
  readonly #employees: Employees
  #names: Promise<ReadonlyMap<string, string>> | undefined

  constructor(context: Context, choice: HistoryChoice) {
    const { format, fields, shown } = context.print
    this.#context = context
    this.#choice = choice
    this.#isTable = format === 'table' && fields === undefined
    this.#showsNames = this.#isTable || shown.includes('sender')
    this.#employees = employeesOf(context)
  }

  /** Rejects with why it cannot be read. */
  readonly open = async (ticketId: string): Promise<OpenHistory> => {
    const api = await this.#context.api()
    // On their way beside the first chunk; what goes wrong with them is said below.
    if (this.#showsNames) this.#employees().catch(() => undefined)
    const { ticket, messages } = await readHistory(api, ticketId, this.#choice)
    const source = { profile: await profileOf(this.#context), part: partOf(this.#choice) }
    return {
      messages,
      more: {
        empty: 'no messages',
        frame: { key: 'messages', before: { ticket }, cursor: 'nextChunkStartMessageId', known: 'ticketId' },
        conversation: { ticket, names: await this.#nameMap(), source },
      },
    }
  }

  /** The view with names where the table is for people. */
  async viewFor(view: View<Message>): Promise<View<Message>> {
    return this.#isTable ? namedMessageView(await this.#nameMap(), view) : view
  }

  #nameMap(): Promise<ReadonlyMap<string, string>> {
    const none: ReadonlyMap<string, string> = new Map()
    return (this.#names ??= this.#showsNames ? employeeNames(this.#context, this.#employees) : Promise.resolve(none))
  }
}

async function profileOf(context: Context): Promise<string> {
  const { name, baseUrl } = (await context.configuration()).profile()
  return name ?? new URL(baseUrl).host
}

/** Which messages were asked for: `the newest 50 messages, since 2026-03-01T00:00:00.000Z`. */
function partOf({ limit, cursor, since, until }: HistoryChoice): string {
  const at = (time: number): string => new Date(time).toISOString()
  return [
    limit === Infinity ? 'all messages' : `the newest ${grouped(limit)} messages`,
    ...(cursor === undefined ? [] : [`from the cursor ${cursor}`]),
    ...(since === undefined ? [] : [`since ${at(since)}`]),
    ...(until === undefined ? [] : [`before ${at(until)}`]),
  ].join(', ')
}
