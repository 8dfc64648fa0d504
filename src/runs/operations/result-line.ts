/** The line of a run for how an attempt ended. Its size is limited. */
import type { AttemptResult } from '../../http/attempt.ts'
import { isFinalFailure } from '../../http/connection-errors.ts'
import { isObject } from '../../values.ts'
import { finalMark } from '../totals.ts'

const longestMessage = 1024
const longestAnswer = 16 * 1024
const longestRaw = 4 * 1024

/** The beginning of a text, at most `bytes` bytes of UTF-8. It never cuts a character. */
function truncate(text: string, bytes: number) {
  if (text.length * 3 <= bytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

export const shortMessage = (message: string) => truncate(message, longestMessage)

/** The `res` line for how an attempt ended, without its place. */
export function resultLine(keptFields: readonly string[], result: AttemptResult) {
  const head = { t: 'res', k: result.kind } as const
  switch (result.kind) {
    case 'never-sent':
      // No message means that svc itself gave up.
      if (result.systemCode === 'SVC_ABORTED') return head
      return {
        ...head,
        m: shortMessage(result.message),
        ...(isFinalFailure(result.systemCode) ? { d: finalMark } : {}),
      }
    case 'refused':
    case 'ambiguous':
      return {
        ...head,
        st: result.status,
        code: Number.isSafeInteger(result.code) ? result.code : undefined,
        m: result.message === undefined ? undefined : shortMessage(result.message),
      }
    case 'answered':
      return { ...head, st: result.status, d: answerToKeep(keptFields, result.data) }
  }
}

/**
 * The part of an answer that goes into the record: the fields that claims are made from; `contact.id` is that field of an
 * object. An answer that is too long, or has a number that JSON readers do not agree on, is kept as the beginning of its
 * text, which no claim believes.
 */
export function answerToKeep(keptFields: readonly string[], data: unknown): unknown {
  const kept = isObject(data) ? knownFields(keptFields, data) : data
  const text = JSON.stringify(kept) ?? 'null'
  const isTooLong = Buffer.byteLength(text) > longestAnswer
  return isTooLong || hasUnsafeNumber(kept) ? { raw: truncate(text, longestRaw) } : kept
}

function knownFields(fields: readonly string[], data: Readonly<Record<string, unknown>>) {
  const kept: Record<string, unknown> = {}
  for (const field of fields) {
    const [name = '', part] = field.split('.')
    if (!Object.hasOwn(data, name)) continue
    const value = data[name]
    if (part === undefined) kept[name] = value
    else kept[name] = isObject(value) ? { [part]: value[part] } : null
  }
  return kept
}

function hasUnsafeNumber(value: unknown) {
  if (typeof value === 'number') return !Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasUnsafeNumber)
}
