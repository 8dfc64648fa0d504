/**
 * Hides secrets, by value and by name, in everything that svc says or keeps: lines on stderr, documents on
 * stdout, the answers of the service and so all rows and files that are made of them, and the record of a
 * run. In JSON it is the values that are redacted, before they are written: neither a key nor a word of ours
 * may tell what was hidden.
 */
import { inert, safe } from './safe-text.ts'
import { isObject } from './values.ts'

const mask = '[hidden]'

/** Characters. Anything shorter occurs in ordinary words, so it could not be hidden. */
export const shortestSecret = 8

/** Members whose values are always words of our own. */
const ownMembers: ReadonlySet<string> = new Set(
  'type time level category method schema operation status stopReason outcome'.split(' '),
)

/** Header lines whose value nobody should see, ours or another program's. */
const namedHeader =
  /\b(x-service-signature|(?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s+)(?!\[hidden\])[^"'\\\n]+/gi

const memberName =
  '(?:api_?secret|client_?secret|secret|password|(?:x-service-)?signature|(?:proxy-)?authorization|(?:set-)?cookie)'

const secretMember = new RegExp(`^${memberName}$`, 'i')
/** Members of JSON text. */
const namedMember = new RegExp(
  String.raw`((?<!\\)"${memberName}"\s*:\s*")(?:[^"\\]|\\.)*(?="|$)`,
  'gi',
)
/** And of JSON text inside a JSON string, five deep at most, where quotes carry backslashes. */
const innerMember = new RegExp(
  String.raw`((?<!\\)(\\{1,31})"${memberName}\2"\s*:\s*\2")(?:(?!(?<!\\)\2").)*(?=\2")`,
  'gi',
)

/** The secrets of one process. The configuration adds each secret that it reads, before anything is sent. */
export class Redactor {
  readonly #secrets = new Set<string>()
  /** Every form of each secret, in lower case: none is shorter than the shortest secret. */
  readonly #forms: string[] = []
  #pattern: RegExp | undefined

  /** From now on this value, of 8 characters at least, is hidden in each of its usual forms, in any letter case. */
  hide(secret: string): void {
    if (secret === '' || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#forms.push(...formsOf(secret).map((form) => form.toLowerCase()))
    this.#pattern = undefined
  }

  /** Text that may hold others' words, as it is written: after the sanitiser. */
  apply(text: string): string {
    const byValue = this.#hideValues(text)
    const byHeader = byValue.replace(namedHeader, `$1$2${mask}`)
    const byMember = byHeader.replace(namedMember, `$1${mask}`)
    return byMember.replace(innerMember, `$1${mask}`)
  }

  /** A value as it is, but for secrets in its texts and in the names of its members. */
  hideIn<T>(value: T): T {
    if (!someText(value, (text) => this.#mayHold(text))) return value
    const hide = (text: string): string => this.#hideValues(text)
    return mapTexts(value, hide, hide) as T
  }

  /** Hides secrets in a document before it is written, in every text that is not a word of our own. */
  applyTo(document: unknown): unknown {
    const hide = (text: string, name: string): string => {
      if (ownMembers.has(name)) return text
      return secretMember.test(name) ? mask : this.apply(text)
    }
    return mapTexts(document, hide, (name) => name)
  }

  /** Hides these values too, which one request has: its signature can be replayed for five minutes, and an answer may repeat it. */
  withValues(values: readonly string[]): (text: string) => string {
    const wanted = values.filter((value) => value.length >= shortestSecret)
    return (text) => {
      const clean = this.#hideValues(text)
      const lower = clean.toLowerCase()
      // A signature is another one each time, and so would the pattern be: V8 keeps kilobytes of code for each one it runs.
      const isThere = wanted.some((value) => lower.includes(value.toLowerCase()))
      return isThere ? clean.replace(new RegExp(literals(wanted), 'gi'), mask) : clean
    }
  }

  #hideValues(text: string): string {
    if (!this.#mayHold(text)) return text
    // Messages cut long texts, so the beginning of a secret may stand before an ellipsis.
    const beginnings = this.#forms.map((form) => form.slice(0, shortestSecret))
    this.#pattern ??= new RegExp(
      `${literals(this.#forms)}|(?:${literals(beginnings)})[^\\s…]*(?=…)`,
      'gi',
    )
    return text.replace(this.#pattern, mask)
  }

  /** Whether it is worth while to look for secrets in a text. */
  #mayHold(text: string): boolean {
    if (this.#secrets.size === 0 || text.length < shortestSecret) return false
    if (text.includes('…')) return true
    const lower = text.toLowerCase()
    return this.#forms.some((form) => lower.includes(form))
  }
}

/** Whether a value is an object of members: an instance of a class is no document, and would lose its methods. */
function isDocument(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype
}

/** Whether one of the texts of a value is such a text. */
function someText(value: unknown, isSuch: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isSuch(value)
  if (Array.isArray(value)) return value.some((item) => someText(item, isSuch))
  if (!isDocument(value)) return false
  for (const key in value) if (isSuch(key) || someText(value[key], isSuch)) return true
  return false
}

/** The same value with other texts, and other names of members. `name`: the member that a text is. */
function mapTexts(
  value: unknown,
  change: (text: string, name: string) => string,
  changeName: (name: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value))
    return value.map((item: unknown) => mapTexts(item, change, changeName))
  if (!isDocument(value)) return value
  const members = Object.entries(value).map(([key, member]) => {
    return [changeName(key), mapTexts(member, change, changeName, key)]
  })
  return Object.fromEntries(members)
}

/** A pattern of any of these texts, the longest first, so that a text inside another leaves nothing over. */
function literals(texts: readonly string[]): string {
  const longestFirst = texts.toSorted((one, other) => other.length - one.length)
  return longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
}

/** The forms in which a secret comes back in messages, JSON, addresses, forms, markup, csv and headers. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const json = JSON.stringify(secret).slice(1, -1)
  const jsonTwice = JSON.stringify(json).slice(1, -1)
  const forms = [
    secret,
    safe(secret),
    json,
    json.replaceAll('/', '\\/'),
    jsonTwice,
    inert(json),
    inert(jsonTwice),
    // As UTF-8 it has no half of a surrogate pair, which has no form here.
    encodeURIComponent(bytes.toString('utf8')),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret.replaceAll('"', '""'),
    secret.replace(/[&<>"']/g, (character) => markup[character] ?? character),
    bytes.toString('latin1'),
    bytes.toString('hex'),
    ...base64Forms(bytes),
  ]
  return [...new Set(forms)]
}

const markup: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Base64 of the bytes in the three ways in which they can lie inside something longer (`user:secret`), also as addresses have it. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // The first digits hold bits of what stands before, the last one perhaps of what comes after.
    const start = before === 0 ? 0 : before + 1
    const isWhole = (bytes.length + before) % 3 === 0
    return text.replace(/=+$/, '').slice(start, isWhole ? undefined : -1)
  })
  return inside.flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    form.replaceAll('/', '\\/'),
    encodeURIComponent(form),
  ])
}
