/**
 * What a request may say, checked apart from svc's own schemas, so that one mistake in reading the description is not made
 * on both sides. Unknown query parameters are ignored, as most services do; a known one that appears twice, and unknown
 * fields of a body, are refused with 400.
 */
import { codePoints, idPattern, limits } from '../api/limits.ts'
import type { Paging } from './lists.ts'
import { refusals } from './answer.ts'

/** What a request may say of a list. */
export type ListText = Readonly<Partial<Record<'name' | 'description', string | undefined>>>

/** API: Endpoints, `{id}` path segments are ids. */
export function checkedId(name: string, value: unknown): string {
  if (typeof value === 'string' && idPattern.test(value)) return value
  throw refusals.validation(`${name} must be 24 hexadecimal digits`)
}

/** API: Limits, page and limit. */
export function pagingOf(query: URLSearchParams): Paging {
  const { min, max } = limits.pageSize
  return { page: numberOf(query, 'page', 1, Number.MAX_SAFE_INTEGER), limit: numberOf(query, 'limit', min, max) }
}

/** A query parameter, which must not be empty. */
export function textOf(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  if (more.length > 0) throw refusals.validation(`${name} appears twice`)
  if (value === '') throw refusals.validation(`${name} must not be empty`)
  return value
}

function numberOf(query: URLSearchParams, name: string, min: number, max: number): number | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (value >= min && value <= max) return value
  throw refusals.validation(`${name} must be a whole number from ${min} to ${max}`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The body of one request: a JSON object with these fields and no others. */
export class Body {
  readonly #fields: ReadonlyMap<string, unknown>

  constructor(contentType: string | undefined, raw: Uint8Array, known: readonly string[]) {
    // API: Endpoints, requests with a body use `Content-Type: application/json`.
    const type = contentType?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json') throw refusals.validation('Content-Type must be application/json')
    const value = parsed(raw)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw refusals.validation('body: must be an object')
    }
    this.#fields = new Map(Object.entries(value))
    const unknown = [...this.#fields.keys()].find((name) => !known.includes(name))
    if (unknown !== undefined) throw refusals.validation(`${unknown}: is not a field of this request`)
  }

  id(name: string): string {
    return checkedId(name, this.#fields.get(name))
  }

  /** API: Limits, contactIds. */
  contactIds(): string[] {
    const value = this.#fields.get('contactIds')
    if (!Array.isArray(value)) throw refusals.validation('contactIds: must be an array of ids')
    const { min, max } = limits.contactIds
    if (value.length < min || value.length > max) {
      throw refusals.validation(`contactIds: must have ${min} to ${max} elements`)
    }
    return value.map((id, index) => checkedId(`contactIds: number ${index + 1}`, id))
  }

  /** API: Limits, list name and description. */
  listText(): ListText {
    const { min, max } = limits.listName
    return {
      name: this.#text('name', min, max),
      description: this.#text('description', 0, limits.listDescription.max),
    }
  }

  #text(name: string, min: number, max: number): string | undefined {
    const value = this.#fields.get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') throw refusals.validation(`${name}: must be text`)
    const length = codePoints(value)
    if (length >= min && length <= max) return value
    throw refusals.validation(`${name}: must have ${min} to ${max} characters`)
  }
}

function parsed(raw: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(raw))
  } catch {
    throw refusals.validation('the body is not JSON')
  }
}
