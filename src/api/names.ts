/**
 * Lists and employees by name, as the verbs of lists and tickets and bulk runs are given them (`commands/directory.ts`, `bulk/sessions/typed.ts`).
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

/** The one that a name stands for; `near` where it is only nearly called so. */
interface Match extends Named {
  readonly near?: NearName
}

/** Says that it is taken. Throws when it may not be. */
export type AcceptNear = (near: NearName) => void

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

interface ListReader {
  readonly lists: Pick<Api['lists'], 'all'>
}

type FoundList = Named & { readonly list?: ContactList | undefined }

/**
 * Throws exit 6 when no list or several have the name, and what `accept` throws. `isToFill`: contacts will be added to it, so that a list
 * that does not exist may be meant to be created.
 */
export async function findList(
  api: ListReader,
  text: string,
  accept: AcceptNear,
  { isToFill = false } = {},
): Promise<FoundList> {
  const reference = parseReference(text, 'list')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  const all: ContactList[] = []
  for await (const list of api.lists.all({ limit: Infinity })) all.push(list)
  const { near, ...match } = only(reference, {
    what: 'list',
    command: svc`lists list --limit all`,
    otherwise: isToFill
      ? say`to create it:\n  ${svc`lists create --name ${reference.name}`}`
      : undefined,
    more: '',
    candidates: all.map(listCandidate),
  })
  if (near !== undefined) accept(near)
  const list = all.find(({ id }) => id === match.id)
  return { ...match, list }
}

/** A list, with what tells it from others of its name. */
function listCandidate({ id, name, contactsCount, createdAt }: ContactList): Candidate {
  const created = createdAt ?? 'at an unknown time'
  return {
    id,
    name,
    words: [`contacts: ${contactsCount}`, `created ${created}`],
  }
}

/** Throws exit 6 when no employee or several have the name, and what `accept` throws. `employees` is called for a name only. */
export async function findEmployee(
  employees: () => Promise<readonly Employee[]>,
  text: string,
  accept: AcceptNear,
): Promise<Named> {
  const reference = parseReference(text, 'employee')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  const { near, ...match } = matchEmployee(await employees(), reference)
  if (near !== undefined) accept(near)
  return match
}

/** Throws exit 6 when no employee or several have the name. */
export function matchEmployee(employees: readonly Employee[], reference: NameReference): Match {
  const isCut = employees.length >= limits.employees
  return only(reference, {
    what: 'employee',
    command: svc`employees list --limit all`,
    more: isCut ? ' (the service returns 1,000 employees at most; there may be more)' : '',
    candidates: employees.map(candidateOf),
  })
}

function candidateOf(employee: Employee): Candidate {
  const { id, kind, position, status } = employee
  return {
    id,
    name: fullName(employee),
    words: [kind, position, status],
  }
}

/** Employees with a name, compared as everywhere. */
export function matchesOf(employees: readonly Employee[], reference: NameReference): NameMatch {
  return compare(reference, employees.map(candidateOf))
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

/** The candidates for a name, and how to speak of them. */
interface Search {
  readonly what: NearName['what']
  /** The command that shows all names. */
  readonly command: ShownCommand
  /** Another way, where none has the name. */
  readonly otherwise?: Message | undefined
  /** Reason why there may be more candidates. */
  readonly more: string
  readonly candidates: readonly Candidate[]
}

/** Candidates that an error lists. */
const shownAtMost = 20

/**
 * A name among others. `exact`: they have it, code point by code point; `near`: they differ in letter case, spaces or Unicode form;
 * `none`: at best one is spelled much like it.
 */
export type NameMatch =
  | {
      readonly kind: 'exact' | 'near'
      readonly candidates: readonly Candidate[]
    }
  | { readonly kind: 'none'; readonly nearest: string | undefined }

function compare(
  { name, isExact = false }: NameReference,
  candidates: readonly Candidate[],
): NameMatch {
  const namesakes = candidates.filter((candidate) => candidate.name === name)
  if (namesakes.length > 0) return { kind: 'exact', candidates: namesakes }
  const wanted = fold(name)
  const near = isExact ? [] : candidates.filter((candidate) => fold(candidate.name) === wanted)
  if (near.length > 0) return { kind: 'near', candidates: near }
  // The service's words must not begin a line of their own.
  const names = candidates.map((candidate) => candidate.name)
  const oneLiners = names.filter((text) => !/[\r\n\u2028\u2029]/.test(text))
  return { kind: 'none', nearest: closest(name, oneLiners) }
}

/** The only one of this name, or the only one that is nearly called so. */
function only(reference: NameReference, search: Search): Match {
  const { what, more, candidates } = search
  const { name } = reference
  const match = compare(reference, candidates)
  if (match.kind === 'none') throw none(name, match.nearest, search)
  const [first, ...others] = match.candidates
  if (first !== undefined && others.length === 0) {
    const { id, name: exact } = first
    if (match.kind === 'exact') return { id, name }
    return {
      id,
      name: exact,
      near: { what, typed: name, id, name: exact },
    }
  }
  const count = match.candidates.length
  const message = {
    exact: `${count} ${what}s are called "${name}"${more}`,
    near: `no ${what} is called "${name}" exactly, and ${count} are nearly called so${more}`,
  }[match.kind]
  throw several(match.candidates, message, name, search)
}

function none(
  name: string,
  nearest: string | undefined,
  { what, command, more, otherwise }: Search,
): SvcError {
  const meant = nearest === undefined ? undefined : `did you mean "${nearest}"?`
  const names = say`see the names with:\n  ${command}`
  return new SvcError('rejected', `no ${what} is called "${name}"${more}`, {
    hint: join([meant, names, otherwise], '\n'),
  })
}

function several(
  matches: readonly Candidate[],
  message: string,
  name: string,
  { command }: Search,
): SvcError {
  const shown = matches.slice(0, shownAtMost)
  const lines: Message[] = shown.map((match) => `  ${describeCandidate(match, name)}`)
  const others = matches.length - shownAtMost
  if (others > 0) lines.push(say`  and ${String(others)} more: ${command}`)
  return new SvcError('rejected', message, {
    hint: join(['name the one you mean by its id:', ...lines], '\n'),
  })
}

/** Its id and what tells it from others, on one line: the service's words must not begin a line of their own. */
export function describeCandidate({ id, name, words }: Candidate, typed: string): string {
  const all = name === typed ? words : [`"${name}"`, ...words]
  const text = all.filter((word) => word != null && word !== '').join(', ')
  return `${id}  ${text.replace(/\s+/g, ' ')}`
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
