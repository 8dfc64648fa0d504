/**
 * Lists and employees by name, as the verbs of lists and tickets and bulk runs are given them (`commands/directory.ts`, `bulk/parties.ts`).
 * 24 hex digits are always an id; `id:` and `name:` force one. Names are looked for by reading all pages and comparing code points,
 * never by `search`, whose fields the description does not name. Without an exact match, and without `name:`, the only name that is
 * the same but for letter case, blanks and Unicode form may be taken: the caller is asked. A wrong list or employee would be changed
 * without a trace, so a write refuses it, and a read says which name it took.
 */
import { join, say, svc, type Message, type ShownCommand } from '../message.ts'
import { closest, fold } from '../words.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import type { Api } from './client.ts'
import type { ContactList, Employee } from './schemas.ts'
import { safe } from '../safe-text.ts'
import { idPattern } from '../values.ts'
import { limits } from './operations.ts'
import type { Choice } from '../output/questions/picker.ts'

/** The list or employee that a reference stands for. */
interface Named {
  readonly id: string
  /** Undefined when an id was given. */
  readonly name: string | undefined
}

interface NameReference {
  readonly name: string
  readonly isExact?: boolean
}

export type Reference =
  { readonly kind: 'id'; readonly id: string } | ({ readonly kind: 'name' } & NameReference)

/** A name that is the same as the typed one but for letter case, outer and repeated blanks, and Unicode form. */
export interface NearName {
  readonly what: 'list' | 'employee'
  readonly typed: string
  readonly id: string
  readonly name: string
}

/** Answers of a command to a name that is nearly one. */
export interface AcceptNear {
  /** Notes that it is taken, as a read does; a change refuses it. */
  readonly note?: (message: string) => void
  /** The command line with the name in place of what was typed. */
  readonly retype?: (near: NearName) => string
}

/** Throws exit 2 on an empty reference and on `id:` with something else than an id. */
export function parseReference(text: string, what: 'list' | 'employee'): Reference {
  const name = text.startsWith('name:') ? text.slice('name:'.length) : undefined
  if (text === '' || name === '') throw usageError(`the ${what} is empty`)
  if (name !== undefined) return { kind: 'name', name, isExact: true }
  if (text.startsWith('id:')) {
    const id = text.slice('id:'.length)
    if (!idPattern.test(id)) {
      throw usageError(`"${id}" is not an id: ids have 24 hexadecimal digits`)
    }
    return { kind: 'id', id }
  }
  if (idPattern.test(text)) return { kind: 'id', id: text }
  return { kind: 'name', name: text }
}

/** `First Last`, or the part that is set; the spaces in it are part of it, or who is shown could not be found by that name. */
export function fullName({
  firstName,
  lastName,
}: Pick<Employee, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter((part) => part != null && part !== '').join(' ')
}

type FoundList = Named & { readonly list?: ContactList | undefined }

/**
 * Throws exit 6 when no list or several have the name. `isToFill`: contacts will be added to it, so that a list that does not exist may be
 * meant to be created.
 */
export async function findList(
  api: { readonly lists: Pick<Api['lists'], 'all'> },
  text: string,
  accept: AcceptNear,
  { isToFill = false } = {},
): Promise<FoundList> {
  const reference = parseReference(text, 'list')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  const all: ContactList[] = []
  for await (const list of api.lists.all({ limit: Infinity })) all.push(list)
  const create = say`to create it:\n  ${svc`lists create --name ${reference.name}`}`
  return match(all.map(candidateOf), reference, {
    ...accept,
    what: 'list',
    command: svc`lists list --limit all`,
    otherwise: isToFill ? create : undefined,
  })
}

/** The list of exactly this name. Throws exit 6 when none or several have it. */
export function exactList(lists: readonly ContactList[], name: string): ContactList {
  const search = { what: 'list', command: svc`lists list --limit all` } as const
  return match(lists.map(candidateOf), { name, isExact: true }, search).list
}

function candidateOf(list: ContactList) {
  const { id, name, contactsCount, createdAt } = list
  const words = [`contacts: ${contactsCount}`, `created ${createdAt ?? 'at an unknown time'}`]
  return { id, name, words, list }
}

/** Throws exit 6 when no employee or several have the name. `employees` is called for a name only. */
export async function findEmployee(
  employees: () => Promise<readonly Employee[]>,
  text: string,
  accept: AcceptNear,
): Promise<Named> {
  const reference = parseReference(text, 'employee')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  const all = await employees()
  const isCut = all.length >= limits.employees
  const candidates = all.map((employee) => {
    const { id, kind, position, status } = employee
    return { id, name: fullName(employee), words: [kind, position, status] }
  })
  return match(candidates, reference, {
    ...accept,
    what: 'employee',
    command: svc`employees list --limit all`,
    more: isCut ? ' (the service returns 1,000 employees at most; there may be more)' : '',
  })
}

/** Names by lower-case id; a shared one has its id behind it. */
export function namesOf(employees: readonly Employee[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const employee of employees) {
    const name = fullName(employee)
    count.set(name, (count.get(name) ?? 0) + 1)
  }
  const names = new Map<string, string>()
  for (const employee of employees) {
    const name = fullName(employee)
    if (name === '') continue
    const isShared = (count.get(name) ?? 0) > 1
    const shown = isShared ? `${name} (${employee.id})` : name
    names.set(employee.id.toLowerCase(), shown)
  }
  return names
}

export type Employees = () => Promise<readonly Employee[]>

/** The same, once they are read. A key that may not read employees loses only their names. */
export async function employeeNames(
  { note }: { readonly note: (words: string) => void },
  employees: Employees,
): Promise<ReadonlyMap<string, string>> {
  try {
    return namesOf(await employees())
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    note(`employees are shown by id, since they could not be read: ${safe(messageOf(error))}`)
    return new Map()
  }
}

/** A list or an employee whose name is compared; the words tell it from others of the name. */
interface Candidate {
  readonly id: string
  readonly name: string
  readonly words: readonly (string | null | undefined)[]
}

/** How to speak of the candidates for a name. */
interface Search extends AcceptNear {
  readonly what: NearName['what']
  /** The command that shows all names. */
  readonly command: ShownCommand
  /** Another way, where none has the name. */
  readonly otherwise?: Message | undefined
  /** Reason why there may be more candidates. */
  readonly more?: string
}

/** Candidates that an error lists. */
const shownAtMost = 20

/**
 * The one whose name is the same, code point by code point, or else the only one that differs in no more than letter case, spaces and Unicode
 * form. Throws exit 6 with the nearest name where there is none, and with the candidates where there are several.
 */
function match<C extends Candidate>(
  candidates: readonly C[],
  { name, isExact = false }: NameReference,
  search: Search,
): C {
  const { what, more = '', note } = search
  const exact = candidates.filter((candidate) => candidate.name === name)
  const wanted = fold(name)
  const isNear = (candidate: C) => !isExact && fold(candidate.name) === wanted
  const namesakes = exact.length > 0 ? exact : candidates.filter(isNear)
  const [first, ...others] = namesakes
  if (first === undefined) throw noneError(candidates, name, search)
  if (others.length === 0) {
    if (exact.length > 0) return first
    const near = { what, typed: name, id: first.id, name: first.name }
    if (note === undefined) throw nearError(near, search)
    note(`no ${what} is called "${name}"; using "${safe(first.name)}"`)
    return first
  }
  const count = namesakes.length
  const message =
    exact.length > 0
      ? `${count} ${what}s are called "${name}"${more}`
      : `no ${what} is called "${name}" exactly, and ${count} are nearly called so${more}`
  throw severalError(namesakes, message, name, search)
}

function nearError(near: NearName, { retype }: Search): SvcError {
  const { what, typed, name } = near
  const hint = 'nothing was sent; a change needs the exact name'
  return new SvcError(
    'rejected',
    `no ${what} is called "${typed}", but one is called "${name}"`,
    {
      hint: retype === undefined ? hint : `${hint}:\n  ${retype(near)}`,
    },
  )
}

function noneError(
  candidates: readonly Candidate[],
  typed: string,
  { what, command, more = '', otherwise, retype }: Search,
): SvcError {
  // The service's words must not begin a line of their own.
  const oneLiners = candidates.filter(({ name }) => !/[\r\n\u2028\u2029]/.test(name))
  const name = closest(
    typed,
    oneLiners.map((candidate) => candidate.name),
  )
  const nearest = oneLiners.find((candidate) => candidate.name === name)
  const retyped = nearest && retype?.({ what, typed, id: nearest.id, name: nearest.name })
  const meant = nearest && `did you mean "${nearest.name}"?${retyped ? `\n  ${retyped}` : ''}`
  return new SvcError('rejected', `no ${what} is called "${typed}"${more}`, {
    hint: join([meant, say`see the names with:\n  ${command}`, otherwise], '\n'),
  })
}

function severalError(
  namesakes: readonly Candidate[],
  message: string,
  typed: string,
  { command }: Search,
): SvcError {
  const lines: Message[] = namesakes.slice(0, shownAtMost).map(({ id, name, words }) => {
    const all = name === typed ? words : [`"${name}"`, ...words]
    const text = all.filter((word) => word != null && word !== '').join(', ')
    // The service's words must not begin a line of their own.
    return `  ${id}  ${text.replace(/\s+/g, ' ')}`
  })
  const others = namesakes.length - shownAtMost
  if (others > 0) lines.push(say`  and ${String(others)} more: ${command}`)
  return new SvcError('rejected', message, {
    hint: join(['name the one you mean by its id:', ...lines], '\n'),
  })
}

/** All lists, for a person at a terminal to choose from. Reads all pages. */
export async function listChoices({ lists }: Pick<Api, 'lists'>): Promise<Choice[]> {
  const all: Choice[] = []
  for await (const { id, name, contactsCount } of lists.all({ limit: Infinity })) {
    all.push({
      value: id,
      name,
      detail: `contacts: ${contactsCount}, ${id}`,
    })
  }
  return all
}

/** Employees, for a person at a terminal to choose from. */
export function employeeChoices(employees: readonly Employee[]): Choice[] {
  const names = namesOf(employees)
  return employees.map(({ id, kind, position, status, channels }) => {
    const channelWords = channels?.length === 0 ? 'no channels' : undefined
    const words = [kind, position, status, channelWords]
    const detail = words.filter((word) => word != null && word !== '').join(', ')
    return {
      value: id,
      name: names.get(id.toLowerCase()) ?? id,
      detail,
    }
  })
}
