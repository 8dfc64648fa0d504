/**
 * Names instead of ids. 24 hex digits are always an id; `id:` and `name:` force one. Names are found by reading all pages
 * and comparing code points, never by `search`, whose fields the description does not name. Without an exact match, and without `name:`, the only
 * name that is the same but for letter case, blanks and Unicode form may be taken: the caller is asked.
 */
import { join, say, svc, type Message, type ShownCommand } from '../message.ts'
import { closest, fold } from '../words.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Api } from './client.ts'
import type { ContactList, Employee } from './schemas.ts'
import { idPattern } from '../values.ts'
import { limits } from './limits.ts'

export interface Named {
  readonly id: string
  /** Undefined when an id was given. */
  readonly name: string | undefined
}

export interface NameReference {
  readonly name: string
  readonly isExact?: boolean
}

export type Reference = { id: string } | NameReference

/** A name that is the same as the typed one but for letter case, outer and repeated blanks, and Unicode form. */
export interface NearName {
  readonly what: 'list' | 'employee'
  readonly typed: string
  readonly id: string
  readonly name: string
}

/** Says that it is taken, or asks whether it may be. Throws when it may not. */
export type AcceptNear = (near: NearName) => void | Promise<void>

/** Throws exit 2 on an empty reference and on `id:` with something else than an id. */
export function parseReference(text: string, what: 'list' | 'employee'): Reference {
  const name = text.startsWith('name:') ? text.slice('name:'.length) : undefined
  if (text === '' || name === '') throw usageError(`the ${what} is empty`)
  if (name !== undefined) return { name, isExact: true }
  if (text.startsWith('id:')) {
    const id = text.slice('id:'.length)
    if (!idPattern.test(id))
      throw usageError(`"${id}" is not an id: ids have 24 hexadecimal digits`)
    return { id }
  }
  return idPattern.test(text) ? { id: text } : { name: text }
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

export type FoundList = Named & { readonly list?: ContactList | undefined }

/** Throws exit 6 when no list or several have the name, and what `accept` throws. */
export async function findList(
  api: ListReader,
  text: string,
  accept: AcceptNear,
): Promise<FoundList> {
  const reference = parseReference(text, 'list')
  if ('id' in reference) return { id: reference.id, name: undefined }
  const all: ContactList[] = []
  for await (const list of api.lists.all({ limit: Infinity })) all.push(list)
  const match = only(reference, {
    what: 'list',
    command: svc`lists list --limit all`,
    more: '',
    candidates: all.map(({ id, name, contactsCount, createdAt }) => ({
      id,
      name,
      words: [`contacts: ${contactsCount}`, `created ${createdAt ?? 'at an unknown time'}`],
    })),
  })
  if ('typed' in match) await accept(match)
  return { ...match, list: all.find(({ id }) => id === match.id) }
}

/** Throws exit 6 when no employee or several have the name, and what `accept` throws. `employees` is called for a name only. */
export async function findEmployee(
  employees: () => Promise<readonly Employee[]>,
  text: string,
  accept: AcceptNear,
): Promise<Named> {
  const reference = parseReference(text, 'employee')
  if ('id' in reference) return { id: reference.id, name: undefined }
  const match = matchEmployee(await employees(), reference)
  if ('typed' in match) await accept(match)
  return match
}

export function matchEmployee(
  employees: readonly Employee[],
  reference: NameReference,
): Named | NearName {
  const isCut = employees.length >= limits.employees
  return only(reference, {
    what: 'employee',
    command: svc`employees list --limit all`,
    more: isCut ? ' (the service returns 1,000 employees at most; there may be more)' : '',
    candidates: employees.map((employee) => {
      const { id, kind, position, status } = employee
      return { id, name: fullName(employee), words: [kind, position, status] }
    }),
  })
}

/** Names by lower-case id; a shared one has its id behind it. */
export function namesOf(employees: readonly Employee[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const employee of employees)
    count.set(fullName(employee), (count.get(fullName(employee)) ?? 0) + 1)
  return new Map(
    employees.flatMap((employee): [string, string][] => {
      const name = fullName(employee)
      if (name === '') return []
      return [
        [employee.id.toLowerCase(), (count.get(name) ?? 0) > 1 ? `${name} (${employee.id})` : name],
      ]
    }),
  )
}

/** Employees of a file, all found in one reading: the id of an exact name that one employee alone has. */
export async function idsByName(
  read: () => Promise<readonly Employee[]>,
  texts: readonly string[],
): Promise<(text: string) => string | undefined> {
  const isName = (text: string): boolean => !idPattern.test(text.replace(/^id:/, ''))
  const employees = texts.some(isName) ? await read() : []
  const byName = new Map<string, string | undefined>()
  for (const employee of employees) {
    const name = fullName(employee)
    byName.set(name, byName.has(name) ? undefined : employee.id)
  }
  byName.delete('')
  return (text) => {
    if (!isName(text)) return text.replace(/^id:/, '')
    return text.startsWith('id:') ? undefined : byName.get(text.replace(/^name:/, ''))
  }
}

interface Candidate {
  readonly id: string
  readonly name: string
  readonly words: readonly (string | null | undefined)[]
}

interface Search {
  readonly what: NearName['what']
  /** The command that shows all names. */
  readonly command: ShownCommand
  /** Reason why there may be more candidates. */
  readonly more: string
  readonly candidates: readonly Candidate[]
}

const shownAtMost = 20

/** The only one of this name, or the only one that is nearly called so. */
function only({ name, isExact = false }: NameReference, search: Search): Named | NearName {
  const { what, more, candidates } = search
  const namesakes = candidates.filter((candidate) => candidate.name === name)
  const [first, ...others] = namesakes
  if (first !== undefined) {
    if (others.length === 0) return { id: first.id, name }
    const message = `${namesakes.length} ${what}s are called "${name}"${more}`
    throw several(namesakes, message, name, search)
  }
  const wanted = fold(name)
  const near = isExact ? [] : candidates.filter((candidate) => fold(candidate.name) === wanted)
  const [nearest, ...rest] = near
  if (nearest === undefined) throw none(name, search)
  if (rest.length === 0) return { what, typed: name, id: nearest.id, name: nearest.name }
  const words = `no ${what} is called "${name}" exactly, and ${near.length} are nearly called so${more}`
  throw several(near, words, name, search)
}

function none(name: string, { what, command, more, candidates }: Search): SvcError {
  // The service's words must not begin a line of their own.
  const names = candidates.map((candidate) => candidate.name)
  const nearest = closest(
    name,
    names.filter((text) => !/[\r\n\u2028\u2029]/.test(text)),
  )
  const meant = nearest === undefined ? '' : `did you mean "${nearest}"?\n`
  return new SvcError('rejected', `no ${what} is called "${name}"${more}`, {
    hint: say`${meant}see the names with:\n  ${command}`,
  })
}

function several(
  matches: readonly Candidate[],
  message: string,
  name: string,
  { command }: Search,
): SvcError {
  const lines: Message[] = matches.slice(0, shownAtMost).map((match) => {
    const words = match.name === name ? match.words : [`"${match.name}"`, ...match.words]
    return `  ${match.id}  ${oneLine(words)}`
  })
  const others = matches.length - shownAtMost
  if (others > 0) lines.push(say`  and ${String(others)} more: ${command}`)
  return new SvcError('rejected', message, {
    hint: join(['name the one you mean by its id:', ...lines], '\n'),
  })
}

/** The service's words must not begin a line of their own. */
function oneLine(words: Candidate['words']): string {
  return words
    .filter((word) => word != null && word !== '')
    .join(', ')
    .replace(/\s+/g, ' ')
}
