/** An answer before it is sent. */
import type { Refusal } from './refusal.ts'

export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Record<string, string>
  readonly body: Buffer
}

export function jsonAnswer(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value) ?? ''),
  }
}

/** API: Errors, `{ code, message }` and no more. */
export function refusalAnswer({ status, code, message, headers }: Refusal): Answer {
  const answer = jsonAnswer(status, { code, message })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}
