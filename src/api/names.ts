/**
 * Finds lists and employees by name. 24 hex digits are always an id; `id:` and `name:` force one or the other. A name is
 * found by reading all pages and comparing code points, never by `search`, because the description does not say which fields
 * that compares. Without an exact match, and without `name:`, the only name that differs just in letter case, spaces and
 * Unicode form may be used, if the caller accepts it. A change to the wrong list or employee would go unnoticed, so a write
 * refuses such a name, and a read says which name it used.
 */
import { join, say, svc, type ShownCommand } from '../message.ts'
import { fold, nearest } from '../words.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import type { Api } from './client.ts'
import type { ContactList, Employee } from './schemas.ts'
import { safe } from '../safe-text.ts'
import { idPattern } from '../values.ts'
import type { Choice } from '../output/questions/prompt.ts'

/** A list or employee as it is typed. */
export type Reference = { kind: 'id'; id: string } | NameReference

interface NameReference {
  kind: 'name'
  name: string
  /** It was forced with `name:`. */
  isExact?: boolean
}

/** The list or employee that is meant. */
interface ResolvedName {
  id: string
  /** Undefined when an id was given. */
  name: string | undefined
  /** The list itself where its name was given. */
  list?: ContactList | undefined
}

/** A name that differs from the typed one only in letter case, white space, Unicode form and what nobody sees. */
export interface NearName {
  what: 'list' | 'employee'
  typed: string
  id: string
  name: string
}

/** How a command treats a similar name. */
export interface AcceptNear {
  /** A read accepts it with a note; a change refuses it. */
  note?: (message: string) => void
  /** The command line with the exact name in place of the typed one. */
  retype?: (near: NearName) => string
}

/** Throws exit 2 for an empty reference, and for `id:` without a valid id. */
export function parseReference(text: string, what: 'list' | 'employee'): Reference {
  const [, forced, name = text] = /^(id|name):(.*)$/s.exec(text) ?? []
  if (name === '') throw usageError(`the ${forced ?? 'name'} of the ${what} is empty`)
  if (forced === 'name') return { kind: 'name', name, isExact: true }
  if (idPattern.test(name)) return { kind: 'id', id: name }
  if (forced === undefined) return { kind: 'name', name }
  throw usageError(`"${name}" is not an id: ids have 24 hexadecimal digits`)
}

/** `First Last`, or the part that is set. Inner spaces stay, because otherwise the shown name could not be found. */
export function fullName({
  firstName,
  lastName,
}: Pick<Employee, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter((part) => part != null && part !== '').join(' ')
}

/** Throws exit 1 if no list or several have the name. */
export async function findList(
  api: { lists: Pick<Api['lists'], 'all'> },
  text: string,
  accept: AcceptNear,
): Promise<ResolvedName> {
  const reference = parseReference(text, 'list')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  const search = { ...accept, ...searchOfLists }
  return findNamed((await allLists(api)).map(candidateOf), reference, search)
}

/** The list of exactly this name. Throws exit 1 when none or several have it. */
export function exactList(lists: readonly ContactList[], name: string): ContactList {
  return findNamed(
    lists.map(candidateOf),
    { kind: 'name', name, isExact: true },
    searchOfLists,
  ).list
}

const searchOfLists = { what: 'list', command: svc`lists list --limit all` } as const

/** All lists, from all pages. */
export async function allLists({ lists }: { lists: Pick<Api['lists'], 'all'> }) {
  const all: ContactList[] = []
  for await (const list of lists.all()) all.push(list)
  return all
}

function candidateOf(list: ContactList) {
  const { id, name, contactsCount, createdAt } = list
  const words = [`contacts: ${contactsCount}`, createdAt]
  return { id, name, words, list }
}

/** Throws exit 1 if no employee or several have the name. Calls `employees` only for a name. */
export async function findEmployee(
  employees: Employees,
  text: string,
  accept: AcceptNear,
): Promise<ResolvedName> {
  const reference = parseReference(text, 'employee')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  return findNamed((await employees()).map(candidateOfEmployee), reference, {
    ...accept,
    what: 'employee',
    command: svc`employees list --limit all`,
  })
}

function candidateOfEmployee(employee: Employee): NameCandidate {
  const { id, kind, position, status } = employee
  return { id, name: fullName(employee), words: [kind, position, status] }
}

/** Names by lower-case id. A name that several share is followed by its id. */
export function namesOf(employees: readonly Employee[]): Map<string, string> {
  const all = employees.map(fullName)
  const names = new Map<string, string>()
  for (const [place, { id }] of employees.entries()) {
    const name = all[place] ?? ''
    const isShared = all.indexOf(name) !== all.lastIndexOf(name)
    if (name !== '') names.set(id.toLowerCase(), isShared ? `${name} (${id})` : name)
  }
  return names
}

export type Employees = () => Promise<readonly Employee[]>

/** The same, after reading the employees. With a key that cannot read employees, only their names are missing. */
export async function employeeNames(
  { note }: { note: (words: string) => void },
  employees: Employees,
): Promise<ReadonlyMap<string, string>> {
  try {
    return namesOf(await employees())
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    note(
      `employees are shown by id, because their names could not be read: ${safe(messageOf(error))}`,
    )
    return new Map()
  }
}

/** A list or employee whose name is compared, with words that distinguish it from others of the same name. */
interface NameCandidate {
  id: string
  name: string
  words: readonly (string | null | undefined)[]
}

/** Words for the candidates for a name. */
interface NameSearch extends AcceptNear {
  what: NearName['what']
  /** The command that shows all names. */
  command: ShownCommand
}

/**
 * The candidate with exactly this name, code point by code point, or else, for a read, the only one that differs just in
 * letter case, spaces and Unicode form. Otherwise throws exit 1 with the candidates that may be meant.
 */
function findNamed<C extends NameCandidate>(
  candidates: readonly C[],
  { name: typed, isExact = false }: NameReference,
  search: NameSearch,
): C {
  const { what, note } = search
  const namesakes = candidates.filter(({ name }) => name === typed)
  if (namesakes.length > 1)
    throw refusal(
      `${namesakes.length} ${what}s are called "${typed}"`,
      typed,
      namesakes,
      search,
    )
  if (namesakes[0] !== undefined) return namesakes[0]
  const none = `no ${what} is called "${typed}"`
  const similar = candidates.filter(({ name }) => fold(name) === fold(typed))
  const [only] = similar
  if (isExact || note === undefined || only === undefined || similar.length > 1)
    throw refusal(none, typed, nearTo(typed, candidates), search)
  note(`${none}; using "${safe(only.name)}"`)
  return only
}

/** The candidates whose names are spelled nearly so, and then those whose names contain its words. */
function nearTo(typed: string, candidates: readonly NameCandidate[]) {
  const names = candidates.map(({ name }) => name)
  const words = fold(typed).split(' ')
  const hasWords = (name: string) => words.every((word) => fold(name).includes(word))
  const near = new Set([...nearest(typed, names), ...names.filter(hasWords)])
  return [...near].flatMap((like) => candidates.filter(({ name }) => name === like))
}

/** Candidates that an error suggests. */
const suggestedAtMost = 5

/** The error of a name that fits none or several, with a command for each candidate that may be meant. */
function refusal(
  message: string,
  typed: string,
  meant: readonly NameCandidate[],
  { what, command, retype }: NameSearch,
) {
  const lines = meant.slice(0, suggestedAtMost).flatMap(({ id, name, words }) => {
    const isShared = meant.filter((each) => each.name === name).length > 1
    const line = retype?.({ what, typed, id, name: isShared ? id : name }) ?? id
    return isShared ? [`  ${safe(detailOf(words))}:`, `    ${line}`] : [`  ${line}`]
  })
  const question = lines.length === 0 ? [] : ['did you mean:', ...lines]
  const all = say`to see all names:\n  ${command}`
  return new SvcError('rejected', message, { hint: join([...question, all], '\n') })
}

const detailOf = (words: NameCandidate['words']) =>
  words.filter((word) => word != null && word !== '').join(', ')

/** All lists, for a person at a terminal to choose from. Reads all pages. */
export async function listChoices(api: Pick<Api, 'lists'>): Promise<Choice[]> {
  return (await allLists(api)).map(candidateOf).map(choiceOf)
}

/** Employees, for a person at a terminal to choose from. */
export function employeeChoices(employees: readonly Employee[]): Choice[] {
  return employees.map(candidateOfEmployee).map(choiceOf)
}

function choiceOf({ id, name, words }: NameCandidate): Choice {
  return { value: id, name: name === '' ? id : name, detail: detailOf([...words, id]) }
}
