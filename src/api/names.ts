/**
 * Names instead of ids. 24 hex digits are always an id; `id:` and `name:` force one. Names are found by reading all pages
 * and comparing code points, never by `search`, whose fields the description does not name. Without an exact match, and without `name:`, the only
 * name that is the same but for letter case, blanks and Unicode form may be taken: the caller is asked.
 */
import { closest, listed } from '../words.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Api } from './client.ts'
import type { ContactList, Employee } from './schemas.ts'
import { idPattern, limits } from './limits.ts'

export interface Named {
  readonly id: string
  /** Undefined when an id was given. */
  readonly name: string | undefined
}

export type Reference = { id: string } | { name: string; isExact?: true }

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
    if (!idPattern.test(id)) throw usageError(`"${id}" is not an id: ids have 24 hexadecimal digits`)
    return { id }
  }
  return idPattern.test(text) ? { id: text } : { name: text }
}

/** `First Last`, or the part that is set; the spaces in it are part of it, or who is shown could not be found by that name. */
export function fullName({ firstName, lastName }: Pick<Employee, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter((part) => part != null && part !== '').join(' ')
}

interface ListReader {
  readonly lists: Pick<Api['lists'], 'all'>
}

/** Reads all lists: those of exactly this name. `visit` gets each; `moved`: their number changed while they were read. */
export async function listsNamed(api: ListReader, name: string, visit: (list: ContactList) => void) {
  const found: ContactList[] = []
  const lists = api.lists.all({ limit: Infinity })
  let step = await lists.next()
  for (; step.done !== true; step = await lists.next()) {
    visit(step.value)
    if (step.value.name === name) found.push(step.value)
  }
  return { found, moved: step.value.moved !== undefined }
}

function folded(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase()
}

export type FoundList = Named & { readonly list?: ContactList | undefined }

/** Throws exit 6 when no list or several have the name, and what `accept` throws. */
export async function findList(api: ListReader, text: string, accept: AcceptNear): Promise<FoundList> {
  const reference = parseReference(text, 'list')
  if ('id' in reference) return { id: reference.id, name: undefined }
  const { name } = reference
  const wanted = folded(name)
  const names: string[] = []
  const near: ContactList[] = []
  const visit = (list: ContactList): void => {
    if (names.length < namesKept) names.push(list.name)
    if (near.length <= shownAtMost && folded(list.name) === wanted) near.push(list)
  }
  const { found, moved } = await listsNamed(api, name, visit)
  const candidate = ({ id, name, contactsCount, createdAt }: ContactList): Candidate => ({
    id,
    name,
    words: [`contacts: ${contactsCount}`, `created ${createdAt ?? 'at an unknown time'}`],
  })
  const command = 'svc lists list --limit all'
  const more = moved ? ' (lists were created or deleted while they were read)' : ''
  const candidates = { found: found.map(candidate), near: reference.isExact ? [] : near.map(candidate) }
  const match = await accepted(only(candidates, { what: 'list', name, command, more, names }), accept)
  return { ...match, list: [...found, ...near].find(({ id }) => id === match.id) }
}

/** Throws exit 6 when no employee or several have the name, and what `accept` throws. `employees` is called for a name only. */
export async function findEmployee(
  employees: () => Promise<readonly Employee[]>,
  text: string,
  accept: AcceptNear,
): Promise<Named> {
  const reference = parseReference(text, 'employee')
  if ('id' in reference) return { id: reference.id, name: undefined }
  return accepted(matchEmployee(await employees(), reference), accept)
}

export function matchEmployee(
  employees: readonly Employee[],
  { name, isExact }: { readonly name: string; readonly isExact?: true },
): Named | NearName {
  const candidate = (employee: Employee): Candidate => {
    const { id, kind, position, status } = employee
    return { id, name: fullName(employee), words: [kind, position, status] }
  }
  const wanted = folded(name)
  const found = employees.filter((employee) => fullName(employee) === name).map(candidate)
  const near = isExact ? [] : employees.filter((employee) => folded(fullName(employee)) === wanted).map(candidate)
  const more =
    employees.length >= limits.employees ? ' (the service returns 1,000 employees at most; there may be more)' : ''
  const names = employees.map(fullName)
  return only({ found, near }, { what: 'employee', name, command: 'svc employees list --limit all', more, names })
}

async function accepted(match: Named | NearName, accept: AcceptNear): Promise<Named> {
  if ('typed' in match) await accept(match)
  return match
}

interface Candidate {
  readonly id: string
  readonly name: string
  readonly words: readonly (string | null | undefined)[]
}

interface NearSearch {
  readonly what: NearName['what']
  readonly name: string
  readonly command: string
  readonly more: string
  readonly names: readonly string[]
}

const shownAtMost = 20
/** Among how many names the one that was probably meant is looked for. */
const namesKept = 10_000

/** `near`: those that are nearly called so, when they count. */
function only({ found, near }: Readonly<Record<'found' | 'near', readonly Candidate[]>>, wanted: NearSearch) {
  const { what, name, more } = wanted
  const [first, ...others] = found
  if (first !== undefined && others.length === 0) return { id: first.id, name }
  if (first !== undefined) throw several(found, `${found.length} ${what}s are called "${name}"${more}`, wanted)
  const [nearest, ...rest] = near
  if (nearest === undefined) throw none(wanted)
  if (rest.length === 0) return { what, typed: name, id: nearest.id, name: nearest.name }
  throw several(near, `no ${what} is called "${name}" exactly, and ${near.length} are nearly called so${more}`, wanted)
}

function none({ what, name, command, more, names }: NearSearch): SvcError {
  // The service's words must not begin a line of their own.
  const fit = names.filter((each) => !/[\r\n\u2028\u2029]/.test(each))
  const nearest = closest(name, fit)
  const meant = nearest === undefined ? withWords(name, fit) : [nearest]
  return new SvcError('rejected', `no ${what} is called "${name}"${more}`, {
    hint: `${meant.length === 0 ? '' : `did you mean ${listed(meant.map((each) => `"${each}"`))}?\n`}see the names with:\n  ${command}`,
  })
}

const suggestedAtMost = 3

/** The names that have all of the typed words in them, whole and side by side, unless there are too many to suggest. */
function withWords(name: string, names: readonly string[]): readonly string[] {
  const words = folded(name)
  if (words === '') return []
  const found = new Set(names.filter((each) => ` ${folded(each)} `.includes(` ${words} `)))
  return found.size > suggestedAtMost ? [] : [...found]
}

function several(found: readonly Candidate[], message: string, { name, command }: NearSearch): SvcError {
  const lines = found
    .slice(0, shownAtMost)
    .map((each) => `  ${each.id}  ${oneLine(each.name === name ? each.words : [`"${each.name}"`, ...each.words])}`)
  if (found.length > shownAtMost) lines.push(`  and ${found.length - shownAtMost} more: ${command}`)
  return new SvcError('rejected', message, { hint: ['name the one you mean by its id:', ...lines].join('\n') })
}

/** The service's words must not begin a line of their own. */
function oneLine(words: Candidate['words']): string {
  return words
    .filter((word) => word != null && word !== '')
    .join(', ')
    .replace(/\s+/g, ' ')
}
