/**
 * Secrets, by value and by name: whatever is written to stderr goes through here, so that no message can carry one. What is
 * redacted is the text as it is written, after the sanitiser.
 */
import { jsonText, safe } from './safe.ts'

export interface Redactor {
  /** From now on this value is hidden in each of its usual forms. */
  hide(secret: string): void
  apply(text: string): string
}

const mask = '[hidden]'

/** Shorter derived forms would hide ordinary words; the value itself is hidden at any length. */
const shortestForm = 6

/** Header lines whose value nobody should see, whoever wrote them. */
const namedHeader =
  /\b(x-service-signature|(?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s+)(?!\[hidden\])[^"'\\\n]+/gi

const memberName =
  '(?:api_?secret|client_?secret|secret|password|(?:x-service-)?signature|(?:proxy-)?authorization|(?:set-)?cookie)'

/** Members of JSON text. */
const namedMember = new RegExp(String.raw`((?<!\\)"${memberName}"\s*:\s*")(?:[^"\\]|\\.)*(?=")`, 'gi')
/** And of JSON text inside a JSON string, where quotes carry backslashes. */
const innerMember = new RegExp(String.raw`((\\+)"${memberName}\2"\s*:\s*\2")(?:(?!(?<!\\)\2").)*(?=\2")`, 'gi')

export function createRedactor(): Redactor {
  const forms = new Set<string>()
  let values: RegExp | undefined
  return {
    hide(secret) {
      if (secret === '') return
      forms.add(secret)
      for (const form of derivedForms(secret)) if (form.length >= shortestForm) forms.add(form)
      // The longest first, so that a form inside another leaves nothing over.
      const ordered = [...forms].sort((a, b) => b.length - a.length)
      values = new RegExp(ordered.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g')
    },
    apply(text) {
      const byValue = values === undefined ? text : text.replace(values, mask)
      const byHeader = byValue.replace(namedHeader, `$1$2${mask}`)
      return byHeader.replace(namedMember, `$1${mask}`).replace(innerMember, `$1${mask}`)
    },
  }
}

function derivedForms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // A lone surrogate has no bytes of its own.
  const whole = bytes.toString('utf8')
  const json = JSON.stringify(secret).slice(1, -1)
  const percent = [encodeURIComponent(whole), new URLSearchParams([['', whole]]).toString().slice(1)]
  return [
    json,
    JSON.stringify(json).slice(1, -1),
    // As messages write it.
    safe(secret),
    safe(secret, { newlines: 'keep' }),
    jsonText(secret).slice(1, -1),
    ...percent,
    ...percent.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...base64Forms(bytes),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
}

/** Base64 of the bytes alone, and of the three ways in which they can lie inside something longer (`user:secret`). */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // The first digits hold bits of what stands before, the last one perhaps of what comes after.
    const end = (bytes.length + before) % 3 === 0 ? text.length : text.length - 1
    return text.slice(before === 0 ? 0 : before + 1, end)
  })
  return [bytes.toString('base64').replace(/=+$/, ''), ...inside].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}
