/**
 * Hides secrets, by value and by name: everything that is written to stderr goes through here (`stderr.ts`), so that no message can carry one;
 * so does what a verb shows of its own words (`render.ts`). In JSON it is the values that are redacted, before they are written:
 * neither a key nor a word of ours may tell what was hidden.
 */
import { isObject } from '../../values.ts'
import { jsonText } from '../json.ts'
import { safe } from '../../safe-text.ts'

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
  readonly #forms = new Set<string>()
  #values: RegExp | undefined

  /** From now on this value, of 8 characters at least, is hidden in each of its usual forms. */
  hide(secret: string): void {
    if (secret === '' || this.#forms.has(secret)) return
    for (const form of [secret, ...derivedForms(secret)]) this.#forms.add(form)
    // The longest first, so that a form inside another leaves nothing over.
    const longestFirst = [...this.#forms].sort((a, b) => b.length - a.length)
    const patterns = longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    this.#values = new RegExp(patterns.join('|'), 'g')
  }

  /** Text that may hold others' words, as it is written: after the sanitiser. */
  apply(text: string): string {
    const byValue = this.#values === undefined ? text : text.replace(this.#values, mask)
    const byHeader = byValue.replace(namedHeader, `$1$2${mask}`)
    const byMember = byHeader.replace(namedMember, `$1${mask}`)
    return byMember.replace(innerMember, `$1${mask}`)
  }

  /** A value as it is, but for secrets in its texts: for what a command shows, which may repeat words of the command line. */
  hideIn<T>(value: T): T {
    const values = this.#values
    if (values === undefined) return value
    return mapTexts(value, (text) => text.replace(values, mask)) as T
  }

  /** Hides secrets in a document before it is written, in every text that is not a word of our own. */
  applyTo(document: unknown): unknown {
    return mapTexts(document, (text, name) => {
      if (ownMembers.has(name)) return text
      return secretMember.test(name) ? mask : this.apply(text)
    })
  }
}

/** The same value with other texts. `name`: the member that a text is. */
function mapTexts(
  value: unknown,
  change: (text: string, name: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change))
  // An instance of a class is no document, and would lose its methods.
  const isDocument = isObject(value) && Object.getPrototypeOf(value) === Object.prototype
  if (!isDocument) return value
  const members = Object.entries(value).map(([key, member]) => {
    return [key, mapTexts(member, change, key)]
  })
  return Object.fromEntries(members)
}

/** The forms of a secret in a message: in JSON, in an address, as base64, as hex, as a message writes it. */
function derivedForms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const hex = bytes.toString('hex')
  const coded = [...base64Forms(bytes), hex, hex.toUpperCase()]
  // The other forms of these letters are the letters.
  if (/^[\w.-]*$/.test(secret)) return coded
  // A lone surrogate has no bytes of its own.
  const whole = bytes.toString('utf8')
  const json = JSON.stringify(secret).slice(1, -1)
  const query = new URLSearchParams([['', whole]]).toString()
  const percent = [encodeURIComponent(whole), query.slice(1)]
  const lowerPercent = percent.map((form) => {
    return form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  })
  return [
    json,
    // JSON inside a JSON string.
    JSON.stringify(json).slice(1, -1),
    // As messages write it.
    safe(secret),
    safe(secret, { newlines: 'keep' }),
    jsonText(secret).slice(1, -1),
    ...percent,
    ...lowerPercent,
    ...coded,
  ]
}

/** Base64 of the bytes alone, and of the three ways in which they can lie inside something longer (`user:secret`). */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const text = base64Of(Buffer.concat([Buffer.alloc(before), bytes]))
    // The first digits hold bits of what stands before, the last one perhaps of what comes after.
    const start = before === 0 ? 0 : before + 1
    const isWhole = (bytes.length + before) % 3 === 0
    return text.slice(start, isWhole ? text.length : text.length - 1)
  })
  return [base64Of(bytes), ...inside].flatMap((form) => {
    const forAddresses = form.replaceAll('+', '-').replaceAll('/', '_')
    return [form, forAddresses]
  })
}

/** Without the padding, which need not be there. */
function base64Of(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
