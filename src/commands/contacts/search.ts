/** A search for contacts: the service has none, so the members of its lists are read. */
import type { Api } from '../../api/client.ts'
import { inOrder, inTurn } from '../../api/concurrency.ts'
import { findList, type AcceptNear } from '../../api/names.ts'
import { pagesAtOnce } from '../../api/paginate.ts'
import type { Contact, ContactList } from '../../api/schemas.ts'
import { SvcError } from '../../errors.ts'
import type { Ending } from '../../output/result.ts'
import type { FoundContact } from '../../resources/found-contact.ts'
import { grouped } from '../../words.ts'
import type { Fit } from './criteria.ts'

export interface SearchChoice {
  /** Told of a list whose name is spelled otherwise. */
  readonly accept: AcceptNear
  readonly fitOf: (contact: Contact) => Fit
  /** The lists to read, by name or id; all lists when there is none. */
  readonly within: readonly string[]
  /** Whether one contact is enough. */
  readonly first: boolean
  /** Told how far the search was when a signal ended it. */
  readonly interrupted: (words: string) => void
}

/** Their requests are in flight at once: as many as there may be. */
const listsAtOnce = pagesAtOnce
/** Lists of which the members that fit are held, so that one that takes long does not keep the others waiting. */
const listsAhead = 4 * listsAtOnce

export class Search {
  readonly #api: Api
  readonly #choice: SearchChoice
  /** By id in lower case. */
  readonly #found = new Map<string, FoundContact>()
  #lists = 0
  #members = 0
  /** Lists whose members changed while they were read. */
  #changed = 0
  #listsMoved = false
  #hasFit = false
  /** No further list is begun. */
  #isOver = false
  #behindZero = 0

  constructor(api: Api, choice: SearchChoice) {
    this.#api = api
    this.#choice = choice
  }

  /** In the order of the lists, newest first. What was found before a failure comes first; an error says that it may not be all. */
  async *contacts(): AsyncGenerator<FoundContact, Ending> {
    const failure = await this.#read().then(
      () => undefined,
      (error: Error) => error,
    )
    this.#isOver = true
    if (failure instanceof SvcError && failure.category === 'interrupted')
      this.#choice.interrupted(`interrupted after ${this.#extent()}; other contacts may fit too`)
    yield* this.#found.values()
    if (failure !== undefined) throw failure
    return { notes: this.#notes() }
  }

  async #read(): Promise<void> {
    const { within, first } = this.#choice
    const lists = within.length === 0 ? this.#allLists() : await this.#listsNamed(within)
    const turn = inTurn(listsAtOnce)
    const read = (list: ContactList) => turn(() => this.#readList(list))
    for await (const { list, fitting } of inOrder(lists, listsAhead, read)) {
      for (const contact of fitting) {
        this.#keep(contact, list)
        if (first) return
      }
    }
  }

  async *#allLists(): AsyncGenerator<ContactList, void> {
    const { moved } = yield* this.#api.lists.all({ limit: Infinity })
    this.#listsMoved = moved !== undefined
  }

  async #listsNamed(texts: readonly string[]): Promise<Iterable<ContactList>> {
    const lists = new Map<string, ContactList>()
    for (const text of texts) {
      const found = await findList(this.#api, text, this.#choice.accept)
      lists.set(found.id.toLowerCase(), found.list ?? (await this.#api.lists.get(found.id)))
    }
    return lists.values()
  }

  /** The members of a list that fit. */
  async #readList(list: ContactList): Promise<{ list: ContactList; fitting: Contact[] }> {
    const fitting: Contact[] = []
    if (this.#isOver || this.#hasEnough) return { list, fitting }
    this.#lists += 1
    const members = this.#api.lists.members(list.id, { limit: Infinity })
    try {
      let step = await members.next()
      for (; step.done !== true && !this.#hasEnough; step = await members.next()) {
        this.#members += 1
        const { contact } = step.value
        if (this.#choice.fitOf(contact) === 'none') continue
        this.#hasFit = true
        fitting.push(contact)
      }
      if (step.done === true && (step.value.moved ?? step.value.missing) !== undefined) this.#changed += 1
    } catch (error) {
      this.#isOver = true
      throw error instanceof SvcError ? unreadable(error, list) : error
    }
    return { list, fitting }
  }

  get #hasEnough(): boolean {
    return this.#choice.first && this.#hasFit
  }

  #keep(contact: Contact, { id, name }: ContactList): void {
    const key = contact.id.toLowerCase()
    const known = this.#found.get(key)
    if (known === undefined && this.#choice.fitOf(contact) === 'behind-zero') this.#behindZero += 1
    this.#found.set(key, { ...(known ?? contact), lists: [...(known?.lists ?? []), { id, name }] })
  }

  #extent(): string {
    return `${counted(this.#members, 'member')} of ${counted(this.#lists, 'list')}`
  }

  #notes(): string[] {
    const { within, first } = this.#choice
    const read = this.#extent()
    const where = within.length === 0 ? 'on no list' : `not on ${this.#lists === 1 ? 'it' : 'them'}`
    const changed = 'changed while they were read: some members may not have been searched'
    return [
      ...(this.#behindZero > 0
        ? [`${counted(this.#behindZero, 'contact')} found without the leading 0 of a phone number: check the country`]
        : []),
      ...(this.#listsMoved
        ? ['lists were created or deleted while they were read: some may not have been searched']
        : []),
      ...(this.#changed > 0 ? [`${counted(this.#changed, 'list')} ${changed}`] : []),
      first && this.#found.size > 0
        ? `stopped at the first contact found, after ${read}`
        : `searched ${read}; a contact that is ${where} cannot be found`,
    ]
  }
}

function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
}

function unreadable(error: SvcError, { id, name }: ContactList): SvcError {
  const { httpStatus, hint } = error.details
  const why = httpStatus === 404 ? ', which may have been deleted since: run the command again' : ''
  const lines = [`the list "${name}" (${id}) could not be read${why}; other contacts may fit too`, hint]
  return error.withHint(lines.filter((line) => line !== undefined).join('\n'))
}
