/**
 * Names instead of ids. 24 hex digits are always an id; `id:` and `name:` force one. Names are found by reading all pages
 * and comparing code points, never by `search`, whose fields nobody knows.
 */
import { closest } from '../words.ts'
import { SvcError, usageError } from '../errors.ts'
import type { Api } from './client.ts'
import type { ContactList, Employee } from './schemas.ts'
import { idPattern, limits } from './limits.ts'

export interface Named {
  readonly id: string
  /** Undefined when an id was given. */
  readonly name: string | undefined
}

export type Reference = { id: string } | { name: string }

/** Throws exit 2 on an empty reference and on `id:` with something else than an id. */
export function parseReference(text: string, what: 'list' | 'employee'): Reference {
  const name = text.startsWith('name:') ? text.slice('name:'.length) : undefined
  if (text === '' || name === '') throw usageError(`the ${what} is empty`)
  if (name !== undefined) return { name }
  if (text.startsWith('id:')) {
    const id = text.slice('id:'.length)
    if (!idPattern.test(id)) throw usageError(`"${id}" is not an id: ids have 24 hexadecimal digits`)
    return { id }
  }
  return idPattern.test(text) ? { id: text } : { name: text }
}

/** `First Last`, or what there is of it; the spaces in it are part of it, or who is shown could not be found by that name. */
export function fullName(person: {
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
}): string {
  return [person.firstName, person.lastName].filter((part) => part != null && part !== '').join(' ')
}

/** Reads all lists: those of exactly this name. `visit` gets each; `moved`: their number changed while they were read. */
export async function listsNamed(
  api: Api,
  name: string,
  visit: (list: ContactList) => void,
): Promise<{ found: ContactList[]; moved: boolean }> {
  const found: ContactList[] = []
  const lists = api.lists.all({ limit: Infinity })
  let step = await lists.next()
  for (; step.done !== true; step = await lists.next()) {
    visit(step.value)
    if (step.value.name === name) found.push(step.value)
  }
  return { found, moved: step.value.moved !== undefined }
}

/** `list`: as it was read to find its name. Throws exit 6 when no list or several have the name. */
export async function findList(api: Api, text: string): Promise<Named & { readonly list?: ContactList | undefined }> {
  const reference = parseReference(text, 'list')
  if ('id' in reference) return { id: reference.id, name: undefined }
  const names: string[] = []
  const visit = ({ name }: ContactList): void => {
    if (names.length < namesKept) names.push(name)
  }
  const { found, moved } = await listsNamed(api, reference.name, visit)
  const candidates = found.map(({ id, contactsCount, createdAt }) => ({
    id,
    words: [`contacts: ${contactsCount}`, `created ${createdAt ?? 'at an unknown time'}`],
  }))
  const command = 'svc lists list --limit all'
  const more = moved ? ' (lists were created or deleted while they were read)' : ''
  return { ...only(candidates, { what: 'list', name: reference.name, command, more, names }), list: found[0] }
}

/** Throws exit 6 when no employee or several have the name. `employees` is called for a name only. */
export async function findEmployee(employees: () => Promise<readonly Employee[]>, text: string): Promise<Named> {
  const reference = parseReference(text, 'employee')
  if ('id' in reference) return { id: reference.id, name: undefined }
  return matchEmployee(await employees(), reference.name)
}

/** The employee of that name among these. */
export function matchEmployee(employees: readonly Employee[], name: string): Named {
  const found = employees
    .filter((employee) => fullName(employee) === name)
    .map(({ id, kind, position, status }) => ({ id, words: [kind, position, status] }))
  const more =
    employees.length >= limits.employees ? ' (the service returns 1,000 employees at most; there may be more)' : ''
  const names = employees.map(fullName)
  return only(found, { what: 'employee', name, command: 'svc employees list --limit all', more, names })
}

interface Candidate {
  readonly id: string
  /** What tells it from the others. */
  readonly words: readonly (string | null | undefined)[]
}

interface Wanted {
  readonly what: string
  readonly name: string
  /** Shows all there are. */
  readonly command: string
  readonly more: string
  /** All names there are, or some. */
  readonly names: readonly string[]
}

const shownAtMost = 20
/** Among how many names the one that was probably meant is looked for. */
const namesKept = 10_000

function only(found: readonly Candidate[], { what, name, command, more, names }: Wanted): Named {
  const [first, second] = found
  if (first === undefined) {
    // The service's words must not begin a line of their own.
    const near = closest(
      name,
      names.filter((each) => !/[\r\n\u2028\u2029]/.test(each)),
    )
    throw new SvcError('rejected', `no ${what} is called "${name}"${more}`, {
      hint:
        (near === undefined ? '' : `did you mean "${near}"?\n`) +
        `names are compared exactly, letter case included; see them with:\n  ${command}`,
    })
  }
  if (second !== undefined) {
    const lines = found.slice(0, shownAtMost).map(({ id, words }) => `  ${id}  ${oneLine(words)}`)
    if (found.length > shownAtMost) lines.push(`  and ${found.length - shownAtMost} more: ${command}`)
    throw new SvcError('rejected', `${found.length} ${what}s are called "${name}"${more}`, {
      hint: ['name the one you mean by its id:', ...lines].join('\n'),
    })
  }
  return { id: first.id, name }
}

/** The service's words must not begin a line of their own. */
function oneLine(words: Candidate['words']): string {
  return words
    .filter((word) => word != null && word !== '')
    .join(', ')
    .replace(/\s+/g, ' ')
}
