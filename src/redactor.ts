/**
 * Hides secrets, by value and by name, in everything that svc shows or keeps: lines on stderr, documents on stdout, the
 * answers of the service with all rows and files that are made of them, and the record of a run. Documents are redacted as
 * values before they become JSON, so that redaction cannot break their form or change svc's own words.
 *
 * `redactText`: a line of text, by value and by name. `redactDocument`: the same for each text of a document.
 * `redactByValue`: for rows and records, whose members svc or the service has named. `redactorOf`: by value,
 * with those of one request.
 */
import { isObject } from './values.ts'

const mask = '[hidden]'

/** In characters. Anything shorter occurs in ordinary words, so it could not be hidden. */
export const shortestSecret = 8

/** Members whose values are always svc's own words. */
const ownMembers: ReadonlySet<string> = new Set(
  'type time level category method schema operation status stopReason outcome'.split(' '),
)

/** Header lines with a secret value, from svc or another program. */
const namedHeader =
  /\b(x-service-signature|(?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s+)(?!\[hidden\])[^"'\\\n]+/gi

const memberName =
  '(?:api_?secret|client_?secret|secret|password|(?:x-service-)?signature|(?:proxy-)?authorization|(?:set-)?cookie)'

const secretMember = new RegExp(`^${memberName}$`, 'i')
/** Secret members in JSON text: `"password": "…"`. */
const namedMember = new RegExp(
  String.raw`((?<!\\)"${memberName}"\s*:\s*")(?:[^"\\]|\\.)*(?="|$)`,
  'gi',
)
/** The most backslashes before a character: each level of JSON inside JSON, of five, doubles them. */
const deepest = 31

/** Secret members in JSON text inside JSON strings: `\"password\": \"…\"`. */
const innerMember = new RegExp(
  String.raw`((?<!\\)(\\{1,${deepest}})"${memberName}\2"\s*:\s*\2")(?:(?!(?<!\\)\2").)*(?=\2")`,
  'gi',
)

/** Signs that a text is escaped for JSON, URLs, markup or csv: it can have a secret that none of the plain forms shows. */
const signsOfEscaping = /[%\\&]|""/

/** The secrets of one process. The configuration adds each secret that it reads, before anything is sent. */
export class Redactor {
  readonly #secrets = new Set<string>()
  /** The forms of the secrets in lower case, as they are and encoded. No form is shorter than the shortest secret. */
  readonly #plainForms: string[] = []
  #leastLength = Infinity
  /** Matches every form of every secret. Made when a text may have a secret, because that takes milliseconds. */
  #pattern: RegExp | undefined

  /** From now on hides this secret in each of its usual forms, in any letter case; not one that is too short. */
  addSecret(secret: string) {
    if (secret.length < shortestSecret || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#plainForms.push(...plainForms(secret).map((form) => form.toLowerCase()))
    this.#leastLength = Math.min(this.#leastLength, secret.length)
    this.#pattern = undefined
  }

  /** Redacts text just before it is written, after `safe` made it printable. */
  redactText(text: string) {
    const byValue = this.#hideSecrets(text)
    const byHeader = byValue.replace(namedHeader, `$1$2${mask}`)
    const byMember = byHeader.replace(namedMember, `$1${mask}`)
    return byMember.replace(innerMember, `$1${mask}`)
  }

  /** Redacts the texts and the member names of a value. */
  redactByValue<T>(value: T): T {
    if (!someText(value, (text) => this.#mayHold(text))) return value
    const hide = (text: string) => this.#hideSecrets(text)
    return mapTexts(value, hide, hide) as T
  }

  /** Redacts a document before it is written: every text except svc's own words. */
  redactDocument(document: unknown): unknown {
    const hide = (text: string, name: string) => {
      if (ownMembers.has(name)) return text
      return secretMember.test(name) ? mask : this.redactText(text)
    }
    return mapTexts(document, hide, (name) => name)
  }

  /**
   * A redactor of texts that also hides these values of one request: a signature can be replayed for five minutes, and an
   * answer may repeat it.
   */
  redactorOf(values: readonly string[]): (text: string) => string {
    const wanted = values
      .filter((value) => value.length >= shortestSecret)
      // The longer one of two values that begin alike must match first, or its end would stay.
      .toSorted((one, other) => other.length - one.length)
    return (text) => {
      const clean = this.#hideSecrets(text)
      const lower = clean.toLowerCase()
      // Each request has a new signature, and V8 keeps kilobytes of code for each pattern that it runs.
      if (!wanted.some((value) => lower.includes(value.toLowerCase()))) return clean
      return clean.replace(new RegExp(wanted.map(escapeRegExp).join('|'), 'gi'), mask)
    }
  }

  #hideSecrets(text: string) {
    if (!this.#mayHold(text)) return text
    this.#pattern ??= patternOf(this.#secrets)
    return this.#hideBeginnings(text.replace(this.#pattern, mask))
  }

  /** Whether a text may have a secret: a quick check before the slow pattern. */
  #mayHold(text: string) {
    if (text.includes('…') && this.#secrets.size > 0) return true
    if (text.length < this.#leastLength) return false
    const lower = text.toLowerCase()
    return (
      signsOfEscaping.test(lower) || this.#plainForms.some((form) => lower.includes(form))
    )
  }

  /** Hides `abcdefgh1` in `key abcdefgh1…`: messages shorten long texts, so the beginning of a secret may be left. */
  #hideBeginnings(text: string) {
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

/** How many characters at the end of a text are the beginning of this secret; 0 for fewer than the shortest secret has. */
function lengthOfBeginning(secret: string, text: string) {
  const end = text.slice(-secret.length).toLowerCase()
  const whole = secret.toLowerCase()
  const start = end.lastIndexOf(whole.slice(0, shortestSecret))
  const beginning = start < 0 ? '' : end.slice(start)
  return whole.startsWith(beginning) ? beginning.length : 0
}

/** Whether a value is a plain object. An instance of a class is not a document: its copy would lose its methods. */
function isDocument(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype
}

/** Whether `isSuch` accepts any text or member name of a value. */
function someText(value: unknown, isSuch: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isSuch(value)
  if (Array.isArray(value)) return value.some((item) => someText(item, isSuch))
  if (!isDocument(value)) return false
  for (const key in value) if (isSuch(key) || someText(value[key], isSuch)) return true
  return false
}

/** A copy of a value with changed texts and member names. `name`: the name of the member that has the value. */
function mapTexts(
  value: unknown,
  change: (text: string, name: string) => string,
  changeName: (name: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value))
    return value.map((item: unknown) => mapTexts(item, change, changeName, name))
  if (!isDocument(value)) return value
  const members = Object.entries(value).map(([key, member]) => {
    return [changeName(key), mapTexts(member, change, changeName, key)]
  })
  return Object.fromEntries(members)
}

function patternOf(secrets: ReadonlySet<string>) {
  // The longest first, so that a secret inside another one leaves no rest of it.
  const longestFirst = [...secrets].sort((one, other) => other.length - one.length)
  const patterns = longestFirst.flatMap((secret) => {
    const characters = secret.match(/\\+|[^\\]/gsu) ?? []
    const [, ...others] = plainForms(secret)
    return [characters.map(characterForms).join(''), ...others.map(escapeRegExp)]
  })
  return new RegExp(patterns.join('|'), 'gi')
}

/** The secret itself first, then in hexadecimal digits, in headers, in form data, and in base64. */
function plainForms(secret: string) {
  const bytes = Buffer.from(secret, 'utf8')
  return [
    secret,
    bytes.toString('hex'),
    ...inHeaders(secret),
    secret.replaceAll(' ', '+'),
    ...base64Forms(bytes),
  ]
}

/** Special forms of characters in markup, JSON and form data. */
const specialForms: Readonly<Record<string, string>> = {
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
 * A character, or a run of backslashes, in all its forms: as it is, in JSON inside JSON, URLs, form data, csv and markup,
 * and as messages show characters that cannot be printed.
 */
function characterForms(character: string) {
  if (character.startsWith('\\')) return backslashForms(character.length)
  const point = character.codePointAt(0) ?? 0
  const units = Array.from({ length: character.length }, (_, at) =>
    character.charCodeAt(at),
  )
  const forms = [
    // JSON puts backslashes before quotes and slashes, and csv doubles quotes.
    /["/]/.test(character)
      ? `(?:\\\\{0,${deepest}}${character}){1,2}`
      : escapeRegExp(character),
    units.map((unit) => `\\\\{1,${deepest}}u${hexOf(unit, 4)}`).join(''),
    percentForm(character),
    ...inHeaders(character),
    `\\\\{1,${deepest}}u\\{${hexOf(point)}\\}`,
    `&#(?:0{0,6}${point}|x0{0,6}${hexOf(point)});`,
    ...(specialForms[character] === undefined ? [] : [specialForms[character]]),
  ]
  return `(?:${forms.join('|')})`
}

function backslashForms(count: number) {
  const forms = [`\\\\{1,${deepest}}u005c`, percentForm('\\'), '&#(?:92|x5c);'].map(
    (form) => `(?:${form}){${count}}`,
  )
  // The whole run at once, because one by one a long run would backtrack without end.
  return `(?:${[`\\\\{${count},${count * deepest}}(?!\\\\)`, ...forms].join('|')})`
}

/** A text that was sent in a header as UTF-8, as Node reads it. */
function inHeaders(text: string) {
  if (/^[\0-\x7f]*$/.test(text)) return []
  // The pattern ignores letter case, but the bytes of another case are other characters in Latin-1.
  const spellings = [text, text.toUpperCase(), text.toLowerCase()]
  return spellings.map((spelling) => Buffer.from(spelling).toString('latin1'))
}

function percentForm(character: string) {
  const bytes = [...Buffer.from(character, 'utf8')]
  return bytes.map((byte) => `%(?:25){0,3}${hexOf(byte, 2)}`).join('')
}

function hexOf(number: number, digits = 0) {
  return number.toString(16).padStart(digits, '0')
}

/** Base64 of the bytes alone, and at the three offsets inside something longer (`user:secret`), also in its URL forms. */
function base64Forms(bytes: Buffer) {
  const inside = [0, 1, 2].map((before) => {
    const text = base64Of(Buffer.concat([Buffer.alloc(before), bytes]))
    // The first digits mix in bits of the bytes before, and the last digit perhaps of the bytes after.
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

/** Without the padding, which is optional. */
function base64Of(bytes: Buffer) {
  return bytes.toString('base64').replace(/=+$/, '')
}

function escapeRegExp(text: string) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
