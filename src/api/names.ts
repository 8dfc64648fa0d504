/**
 * Finds lists and employees by name. Reads all names, and compares them code point by code point. The service's `search` is not
 * used, because the description of the API does not say which fields `search` compares.
 *
 * Two names are *similar* if people see no difference but letter case and spaces. If no name is exactly the same and one is
 * similar, a read uses that one, and a note says so. A change refuses it, because nobody would notice a change to the wrong list
 * or employee.
 */
import { messageOf, SvcError, usageError } from '../errors.ts'
import { safe } from '../safe-text.ts'
import { idPattern } from '../values.ts'
import { fold, joinPresent, nearest, pluralize } from '../words.ts'
import type { Api } from './client.ts'
import type { ContactList, Employee } from './schemas.ts'

/** The kinds of things that svc finds by name. */
type NamedKind = 'list' | 'employee'

/** A list or employee as it was typed. */
export type Reference = { kind: 'id'; id: string } | { kind: 'name'; name: string }

/** The list or employee that a reference means. */
interface ResolvedName {
  id: string
  /** Undefined if an id was typed. */
  name: string | undefined
  /** The list, if its name was typed. */
  list?: ContactList | undefined
}

/** How a command deals with a name that no list or employee has, or that several have. */
export interface NameOptions {
  /** Says which similar name is used. Without this function, no similar name is used. */
  noteSimilar?: (message: string) => void
  /** Returns the command line with an id in place of the typed name. Without this function, errors suggest ids. */
  lineWith?: (typed: string, id: string) => string
}

/** Reads a typed list or employee: 24 hexadecimal digits are an id, and any other text is a name. Throws a usage error if it is empty. */
export function parseReference(text: string, kind: NamedKind): Reference {
  if (text === '') throw usageError(`the name of the ${kind} is empty`)
  return idPattern.test(text) ? { kind: 'id', id: text } : { kind: 'name', name: text }
}

/** Returns `First Last`, or the part that is set. Spaces inside a part stay, because names are compared exactly. */
export function fullName({
  firstName,
  lastName,
}: Pick<Employee, 'firstName' | 'lastName'>): string {
  return joinPresent([firstName, lastName], ' ')
}

/** The part of the API that reads lists. */
interface ListReader {
  lists: Pick<Api['lists'], 'all'>
}

const listSearch = { kind: 'list', showAll: 'svc lists list --limit all' } as const

/**
 * Returns what a typed list means. An id is returned as it is, and a name is looked up. Throws `rejected` if no list or several
 * have the name.
 */
export async function findList(
  api: ListReader,
  text: string,
  options: NameOptions,
): Promise<ResolvedName> {
  const reference = parseReference(text, 'list')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  const candidates = (await allLists(api)).map(listCandidate)
  return findNamed(candidates, reference.name, { ...options, ...listSearch })
}

/**
 * Returns the list of this name, or the only one whose name is similar, as `noteSimilar` says. Throws `rejected` if none or several
 * have it.
 */
export function listCalled(
  lists: readonly ContactList[],
  name: string,
  noteSimilar: (message: string) => void,
): ContactList {
  return findNamed(lists.map(listCandidate), name, { ...listSearch, noteSimilar }).list
}

/** Returns a list of this name, or else one whose name is similar; undefined if there is none. */
export function findSameName(lists: readonly ContactList[], name: string) {
  const exact = lists.find((list) => list.name === name)
  return exact ?? lists.find((list) => fold(list.name) === fold(name))
}

/** Reads all lists. */
export async function allLists({ lists }: ListReader) {
  return (await lists.all()).rows
}

/** Reads all employees of the company. */
type ReadEmployees = () => Promise<readonly Employee[]>

/** Finds an employee as `findList` finds a list. Reads the employees only if a name was typed. */
export async function findEmployee(
  readEmployees: ReadEmployees,
  text: string,
  options: NameOptions,
): Promise<ResolvedName> {
  const reference = parseReference(text, 'employee')
  if (reference.kind === 'id') return { id: reference.id, name: undefined }
  return findNamed((await readEmployees()).map(employeeCandidate), reference.name, {
    ...options,
    kind: 'employee',
    showAll: 'svc employees list --limit all',
  })
}

/** Reads the names of employees, by their ids in lower case. If that fails, writes a note and returns no names. */
export async function employeeNames(
  { note }: { note: (message: string) => void },
  readEmployees: ReadEmployees,
): Promise<ReadonlyMap<string, string>> {
  try {
    return namesOf(await readEmployees())
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    note(
      `employees are shown by id, because their names could not be read: ${safe(messageOf(error))}`,
    )
    return new Map()
  }
}

/** Returns names by ids in lower case. If several employees have the same name, it is followed by the id. */
function namesOf(employees: readonly Employee[]) {
  const all = employees.map(fullName)
  const names = new Map<string, string>()
  for (const employee of employees) {
    const { id } = employee
    const name = fullName(employee)
    const isShared = all.indexOf(name) !== all.lastIndexOf(name)
    if (name !== '') names.set(id.toLowerCase(), isShared ? `${name} (${id})` : name)
  }
  return names
}

/** A list or employee that a name may mean. */
interface NameCandidate {
  id: string
  name: string
  /** Distinguishes it from others of the same name. */
  detail: string
}

function listCandidate(list: ContactList) {
  const { id, name, contactsCount, createdAt } = list
  const detail = joinPresent([pluralize(contactsCount, 'contact'), createdAt], ', ')
  return { id, name, detail, list }
}

function employeeCandidate(employee: Employee): NameCandidate {
  const { id, kind, position, status } = employee
  const detail = joinPresent([kind, position, status], ', ')
  return { id, name: fullName(employee), detail }
}

/** A search by name: the kind of thing, and the command that shows all of them. */
interface NameSearch extends NameOptions {
  kind: NamedKind
  /** The command that shows all names. */
  showAll: string
}

/** Finds the candidate that a name means. Throws `rejected`, with suggestions, if there is none or more than one. */
function findNamed<C extends NameCandidate>(
  candidates: readonly C[],
  typed: string,
  search: NameSearch,
): C {
  const { kind, noteSimilar } = search
  const namesakes = candidates.filter(({ name }) => name === typed)
  if (namesakes.length > 1) {
    const message = `${namesakes.length} ${kind}s are called "${typed}"`
    throw nameError(message, typed, namesakes, search)
  }
  if (namesakes[0] !== undefined) return namesakes[0]
  const message = `no ${kind} is called "${typed}"`
  const [similar, ...others] = candidates.filter(({ name }) => fold(name) === fold(typed))
  const isSingle = similar !== undefined && others.length === 0
  if (!isSingle || noteSimilar === undefined)
    throw nameError(message, typed, nearestTo(typed, candidates), search)
  noteSimilar(`${message}; using "${safe(similar.name)}"`)
  return similar
}

/** Returns the candidates whose spelling is nearest to the typed name, and then those whose names contain all of its words. */
function nearestTo(typed: string, candidates: readonly NameCandidate[]) {
  const names = candidates.map(({ name }) => name)
  const words = fold(typed).split(' ')
  const hasWords = (name: string) => words.every((word) => fold(name).includes(word))
  const suggested = new Set([...nearest(typed, names), ...names.filter(hasWords)])
  return [...suggested].flatMap((name) => candidates.filter((each) => each.name === name))
}

const maxSuggestions = 5

/** Makes the error for a name that does not mean exactly one candidate. Its hint has the whole command for each suggested one. */
function nameError(
  message: string,
  typed: string,
  suggested: readonly NameCandidate[],
  { showAll, lineWith }: NameSearch,
) {
  const lines = suggested.slice(0, maxSuggestions).flatMap(({ id, name, detail }) => {
    const known = joinPresent([`"${name}"`, detail], ', ')
    return [`  ${safe(known)}:`, `    ${lineWith?.(typed, id) ?? id}`]
  })
  const question = lines.length === 0 ? [] : ['did you mean:', ...lines]
  const all = `to see all names:\n  ${showAll}`
  return new SvcError('rejected', message, { hint: [...question, all].join('\n') })
}
