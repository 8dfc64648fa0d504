/**
 * Names instead of ids. 24 hex digits are always an id; `id:` and `name:` force one. Names are found by reading all pages
 * and comparing code points, never by `search`, whose fields nobody knows.
 */
import { SvcError, usageError } from '../errors.ts'
import type { Api } from './api.ts'
import { idPattern, limits, type Employee } from './contract.ts'

export interface Named {
  readonly id: string
  /** Undefined when an id was given. */
  readonly name: string | undefined
}

type Reference = { id: string } | { name: string }

/** Throws exit 2 on an empty reference and on `id:` with something else than an id. */
export function parseReference(text: string, what: string): Reference {
  if (text.startsWith('name:')) return { name: text.slice('name:'.length) }
  if (text.startsWith('id:')) {
    const id = text.slice('id:'.length)
    if (!idPattern.test(id)) throw usageError(`"${id}" is not an id: ids have 24 hexadecimal digits`)
    return { id }
  }
  if (text === '') throw usageError(`the ${what} is empty`)
  return idPattern.test(text) ? { id: text } : { name: text }
}

/** Throws exit 6 when no list or several have the name. */
export async function findList(api: Api, text: string): Promise<Named> {
  const reference = parseReference(text, 'list')
  if ('id' in reference) return { id: reference.id, name: undefined }
  const found: { id: string; label: string }[] = []
  for await (const list of api.lists.all({ limit: Infinity, pageSize: limits.pageSize.max })) {
    if (list.name === reference.name) found.push({ id: list.id, label: `${list.contactsCount} contacts, created ${list.createdAt ?? 'at an unknown time'}` })
  }
  return only(found, 'list', reference.name, 'svc lists list --limit all')
}

/** "First Last"; either part may be missing. */
export function employeeName(employee: Pick<Employee, 'firstName' | 'lastName'>): string {
  return [employee.firstName, employee.lastName].filter((part) => part != null && part !== '').join(' ')
}

/** Throws exit 6 when no employee or several have the name. */
export async function findEmployee(api: Api, text: string): Promise<Named> {
  const reference = parseReference(text, 'employee')
  if ('id' in reference) return { id: reference.id, name: undefined }
  return matchEmployee(await api.employees.list(), reference.name)
}

/** The employee of that name among these. */
export function matchEmployee(employees: readonly Employee[], name: string): Named {
  const found = employees
    .filter((employee) => employeeName(employee) === name)
    .map((employee) => ({ id: employee.id, label: [employee.kind, employee.position, employee.status].filter((part) => part != null).join(', ') }))
  const cut = employees.length >= limits.employees ? ' (the service returns 1,000 employees at most; there may be more)' : ''
  return only(found, 'employee', name, 'svc employees list', cut)
}

function only(found: readonly { id: string; label: string }[], what: string, name: string, command: string, more = ''): Named {
  const [first, second] = found
  if (first === undefined) {
    throw new SvcError('rejected', `no ${what} is called "${name}"${more}`, {
      hint: `names are compared exactly, letter case included; see them with: ${command}`,
    })
  }
  if (second !== undefined) {
    throw new SvcError('rejected', `${found.length} ${what}s are called "${name}"${more}`, {
      hint: ['name the one you mean by its id:', ...found.slice(0, 20).map(({ id, label }) => `  ${id}  ${label}`)].join('\n'),
    })
  }
  return { id: first.id, name }
}
