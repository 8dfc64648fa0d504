/**
 * Hides secrets, by value and by name, in everything that svc says or keeps: lines on stderr, documents on
 * stdout, the answers of the service and so all rows and files that are made of them, and the record of a
 * run. In JSON it is the values that are redacted, before they are written: neither a key nor a word of ours
 * may tell what was hidden.
 */
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

/** Signs of a text that is escaped for JSON, addresses, markup or csv. */
const escapes = /[%\\&]|""/

/** The secrets of one process. The configuration adds each secret that it reads, before anything is sent. */
export class Redactor {
  readonly #secrets = new Set<string>()
  /** Each secret in lower case, as it is and encoded: no form is shorter than the shortest secret. */
  readonly #plainForms: string[] = []
  #shortest = Infinity
  /** Every form of the secrets. It takes milliseconds to make, so it waits until a text may hold one. */
  #values: RegExp | undefined

  /** From now on this value, of 8 characters at least, is hidden in each of its usual forms, in any letter case. */
  hide(secret: string) {
    if (secret === '' || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#plainForms.push(...plainForms(secret).map((form) => form.toLowerCase()))
    this.#shortest = Math.min(this.#shortest, secret.length)
    this.#values = undefined
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
    const wanted = values
      .filter((value) => value.length >= shortestSecret)
      // The longer one of two that begin alike is found first: else its end would stay.
      .toSorted((one, other) => other.length - one.length)
    return (text) => {
      const clean = this.#hideValues(text)
      const lower = clean.toLowerCase()
      // A signature is another one each time, and so would the pattern be: V8 keeps kilobytes of code for each one it runs.
      if (!wanted.some((value) => lower.includes(value.toLowerCase()))) return clean
      return clean.replace(new RegExp(wanted.map(literal).join('|'), 'gi'), mask)
    }
  }

  #hideValues(text: string): string {
    if (!this.#mayHold(text)) return text
    this.#values ??= patternOf(this.#secrets)
    return this.#hideBeginnings(text.replace(this.#values, mask))
  }

  /** Whether it is worth while to look for secrets in a text. */
  #mayHold(text: string) {
    if (text.includes('…') && this.#secrets.size > 0) return true
    if (text.length < this.#shortest) return false
    const lower = text.toLowerCase()
    return escapes.test(lower) || this.#plainForms.some((form) => lower.includes(form))
  }

  /** Messages cut long texts, so the beginning of a secret may stand before an ellipsis. */
  #hideBeginnings(text: string): string {
    let clean = ''
    let from = 0
    for (let at = text.indexOf('…'); at >= 0; at = text.indexOf('…', at + 1)) {
      const before = text.slice(from, at)
      const cut = [...this.#secrets].map((secret) => lengthOfBeginning(secret, before))
      const hidden = Math.max(0, ...cut)
      clean += text.slice(from, at - hidden) + (hidden === 0 ? '' : mask)
      from = at
    }
    return clean + text.slice(from)
  }
}

/** How many characters at the end of a text are the beginning of a secret. */
function lengthOfBeginning(secret: string, text: string): number {
  const end = text.slice(-secret.length).toLowerCase()
  const whole = secret.toLowerCase()
  const start = end.lastIndexOf(whole.slice(0, shortestSecret))
  const beginning = start < 0 ? '' : end.slice(start)
  return whole.startsWith(beginning) ? beginning.length : 0
}

/** Whether a value is an object of members: an instance of a class is not a document, and would lose its methods. */
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

function patternOf(secrets: ReadonlySet<string>): RegExp {
  // The longest first, so that a secret inside another leaves nothing over.
  const longestFirst = [...secrets].sort((one, other) => other.length - one.length)
  const patterns = longestFirst.flatMap((secret) => {
    const characters = secret.match(/\\+|[^\\]/gsu) ?? []
    const [, ...others] = plainForms(secret)
    return [characters.map(characterForms).join(''), ...others.map(literal)]
  })
  return new RegExp(patterns.join('|'), 'gi')
}

/** A secret as it is, in hexadecimal digits, in headers, in a form, and in base64. */
function plainForms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  return [
    secret,
    bytes.toString('hex'),
    ...inHeaders(secret),
    secret.replaceAll(' ', '+'),
    ...base64Forms(bytes),
  ]
}

/** Backslashes before a character: JSON inside of JSON has more of them the deeper it is. */
const deepest = 31

/** Names that characters have in markup, in JSON and in forms. */
const named: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&apos;',
  '<': '&lt;',
  '>': '&gt;',
  ' ': '\\+',
  '\t': `\\\\{1,${deepest}}t`,
  '\n': `\\\\{1,${deepest}}n`,
  '\r': `\\\\{1,${deepest}}r`,
}

/**
 * A character, or a run of backslashes, as it may be written: itself, in JSON inside of JSON, in an address, in a form, in csv, in markup, and as
 * messages show what cannot be printed.
 */
function characterForms(character: string): string {
  if (character.startsWith('\\')) return backslashForms(character.length)
  const point = character.codePointAt(0) ?? 0
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at),
  )
  const forms = [
    // JSON puts backslashes before quotes and slashes, and csv doubles quotes.
    /["/]/.test(character) ? `(?:\\\\{0,${deepest}}${character}){1,2}` : literal(character),
    units.map((unit) => `\\\\{1,${deepest}}u${hexOf(unit, 4)}`).join(''),
    percentForm(character),
    ...inHeaders(character),
    `\\\\{1,${deepest}}u\\{${hexOf(point)}\\}`,
    `&#(?:0{0,6}${point}|x0{0,6}${hexOf(point)});`,
    ...(named[character] === undefined ? [] : [named[character]]),
  ]
  return `(?:${forms.join('|')})`
}

function backslashForms(count: number): string {
  const forms = [`\\\\{1,${deepest}}u005c`, percentForm('\\'), '&#(?:92|x5c);'].map(
    (form) => `(?:${form}){${count}}`,
  )
  // All of a run, for otherwise a long one could be divided in too many ways.
  return `(?:${[`\\\\{${count},${count * deepest}}(?!\\\\)`, ...forms].join('|')})`
}

/** A text as it is read from a header in which it was sent as UTF-8. */
function inHeaders(text: string): string[] {
  if (/^[\0-\x7f]*$/.test(text)) return []
  const spellings = [text, text.toUpperCase(), text.toLowerCase()]
  return spellings.map((spelling) => Buffer.from(spelling).toString('latin1'))
}

function percentForm(character: string): string {
  const bytes = [...Buffer.from(character, 'utf8')]
  return bytes.map((byte) => `%(?:25){0,3}${hexOf(byte, 2)}`).join('')
}

function hexOf(number: number, digits = 0): string {
  return number.toString(16).padStart(digits, '0')
}

/** Base64 of the bytes in the three ways in which they can lie inside something longer (`user:secret`), also as addresses have it. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const text = base64Of(Buffer.concat([Buffer.alloc(before), bytes]))
    // The first digits hold bits of what stands before, the last one perhaps of what comes after.
    const start = before === 0 ? 0 : before + 1
    const isWhole = (bytes.length + before) % 3 === 0
    return text.slice(start, isWhole ? text.length : text.length - 1)
  })
  return [base64Of(bytes), ...inside].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    form.replaceAll('/', '\\/'),
    encodeURIComponent(form),
  ])
}

/** Without the padding, which need not be there. */
function base64Of(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
