/**
 * Finds lists and employees by name. Reads all names, and compares them code point by code point. The service's `search` is not
 * used, because the description of the API does not say which fields `search` compares.
 *
 * Two names are *similar* if people see no difference but letter case and spaces. If no name is exactly the same and one is
 * similar, a read uses that one, and a note says so. A change refuses it, because nobody would notice a change to the wrong list
 * or employee.
 */
import { messageOf, SvcError, usageError } from '../errors.ts'
import { dateToMinute, isoTime } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { isId } from '../identifiers.ts'
import { fold, joinPresent, pluralize } from '../words.ts'
import type { Api } from './api.ts'
import type { ContactList, Employee } from './schemas.ts'
import { nearest } from './spelling.ts'

/** The kinds of things that svc finds by name. */
type NamedKind = 'list' | 'employee'

/** How a command deals with a name that no list or employee has, or that several have. */
export interface NameOptions {
  /** Says which similar name is used. Without this function, no similar name is used. */
  noteSimilar?: (message: string) => void
  /** Returns the command line with an id in place of the typed name. Without this function, errors suggest ids. */
  lineWith?: (typed: string, id: string) => string
}

/** Throws a usage error if a typed list or employee is empty. Any other text is an id or a name. */
export function refuseEmptyName(text: string, kind: NamedKind) {
  if (text === '') throw usageError(`the name of the ${kind} is empty`)
}

/** Returns `First Last`, or the part that is set. Spaces inside a part stay, because names are compared exactly. */
export function fullName({
  firstName,
  lastName,
}: Pick<Employee, 'firstName' | 'lastName'>) {
  return joinPresent([firstName, lastName], ' ')
}

/** A list or employee that a name may mean. */
interface Named<Thing> {
  id: string
  name: string
  /** Distinguishes it from others of the same name. */
  detail: string
  thing: Thing
}

/** The part of the API that reads lists. */
interface ListReader {
  lists: Pick<Api['lists'], 'all'>
}

/** Reads all lists. */
export async function allLists({ lists }: ListReader) {
  return (await lists.all()).rows
}

/**
 * Returns what a typed list means. An id is returned as it is, without a name, and a name is looked up. Throws `rejected` if no list
 * or several have the name.
 */
export async function findList(api: ListReader, text: string, options: NameOptions) {
  refuseEmptyName(text, 'list')
  if (isId(text)) return { id: text }
  const candidates = (await allLists(api)).map(listCandidate)
  const { id, name, thing: list } = findNamed('list', candidates, text, options)
  return { id, name, list }
}

/**
 * Returns the list of this name, or the only one whose name is similar, as `noteSimilar` says. Throws `rejected` if none or several
 * have it.
 */
export function listCalled(
  lists: readonly ContactList[],
  name: string,
  noteSimilar: (message: string) => void,
) {
  return findNamed('list', lists.map(listCandidate), name, { noteSimilar }).thing
}

function listCandidate(list: ContactList): Named<ContactList> {
  const { id, name, contactsCount, createdAt } = list
  const time = isoTime(createdAt ?? '')
  const created = time === undefined ? createdAt : dateToMinute(time)
  const detail = joinPresent([pluralize(contactsCount, 'contact'), created], ', ')
  return { id, name, detail, thing: list }
}

/** Returns a list of this name, or else one whose name is similar; undefined if there is none. */
export function findSameName(lists: readonly ContactList[], name: string) {
  const exact = lists.find((list) => list.name === name)
  return exact ?? lists.find((list) => fold(list.name) === fold(name))
}

/** Reads all employees of the company. */
type ReadEmployees = () => Promise<readonly Employee[]>

/** Finds an employee as `findList` finds a list. Reads the employees only if a name was typed; an id is returned without a name. */
export async function findEmployee(
  readEmployees: ReadEmployees,
  text: string,
  options: NameOptions,
) {
  refuseEmptyName(text, 'employee')
  if (isId(text)) return { id: text }
  const candidates = (await readEmployees()).map((employee) => {
    const { id, kind, position, status } = employee
    const detail = joinPresent([kind, position, status], ', ')
    return { id, name: fullName(employee), detail, thing: employee }
  })
  return findNamed('employee', candidates, text, options)
}

/**
 * Finds the only candidate of exactly this name, or else the only similar one, if that may be used. Throws `rejected` otherwise.
 */
function findNamed<Thing>(
  kind: NamedKind,
  candidates: readonly Named<Thing>[],
  typed: string,
  { noteSimilar, lineWith }: NameOptions,
): Named<Thing> {
  const exact = candidates.filter(({ name }) => name === typed)
  const [found, ...others] = exact
  if (found !== undefined && others.length === 0) return found
  const missing = `no ${kind} is called "${typed}"`
  if (found !== undefined) {
    const message = `${exact.length} ${kind}s are called "${typed}"`
    throw new SvcError('rejected', message, { hint: hintFor(kind, typed, exact, lineWith) })
  }
  const similar = candidates.filter(({ name }) => fold(name) === fold(typed))
  const [only] = similar
  if (noteSimilar !== undefined && only !== undefined && similar.length === 1) {
    noteSimilar(`${missing}; using "${safe(only.name)}"`)
    return only
  }
  const hint = hintFor(kind, typed, nearestTo(typed, candidates), lineWith)
  throw new SvcError('rejected', missing, { hint })
}

const maxSuggestions = 5

/** A hint with the whole command for each of those that may be meant, and the command that lists all. */
function hintFor(
  kind: NamedKind,
  typed: string,
  suggested: readonly Named<unknown>[],
  lineWith: NameOptions['lineWith'],
) {
  const lines = suggested.slice(0, maxSuggestions).flatMap(({ id, name, detail }) => {
    const known = joinPresent([`"${name}"`, detail], ', ')
    return [`  ${safe(known)}:`, `    ${lineWith?.(typed, id) ?? id}`]
  })
  const question = lines.length === 0 ? [] : ['did you mean:', ...lines]
  return [...question, `to see all names:\n  svc ${kind}s list --limit all`].join('\n')
}

/** Returns the candidates whose spelling is nearest to the typed name, and then those whose names contain all of its words. */
function nearestTo<C extends { name: string }>(typed: string, candidates: readonly C[]) {
  const names = candidates.map(({ name }) => name)
  const words = fold(typed).split(' ')
  const hasWords = (name: string) => words.every((word) => fold(name).includes(word))
  const suggested = new Set([...nearest(typed, names), ...names.filter(hasWords)])
  return [...suggested].flatMap((name) => candidates.filter((each) => each.name === name))
}

/**
 * Reads the names of employees, by their ids in lower case. A name that several have is followed by the id. If they cannot be read,
 * writes a note and returns no names.
 */
export async function employeeNames(
  { note }: { note: (message: string) => void },
  readEmployees: ReadEmployees,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  try {
    const employees = await readEmployees()
    const all = employees.map(fullName)
    for (const [n, { id }] of employees.entries()) {
      const name = all[n] ?? ''
      const isShared = all.indexOf(name) !== all.lastIndexOf(name)
      if (name !== '') names.set(id.toLowerCase(), isShared ? `${name} (${id})` : name)
    }
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted') throw error
    note(
      `employees are shown by id, because their names could not be read: ${safe(messageOf(error))}`,
    )
  }
  return names
}
