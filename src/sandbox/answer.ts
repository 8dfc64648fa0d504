/** An answer before it is sent. */
import type { InferOutput } from 'valibot'
import type { ErrorBody } from '../api/contract.ts'
import type { Refusal } from './refusal.ts'

export interface Answer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
}

export function jsonAnswer(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value) ?? ''),
  }
}

/** API: Errors, `{ code, message }` and no more. */
export function refusalAnswer(refusal: Refusal): Answer {
  const body: InferOutput<typeof ErrorBody> = { code: refusal.code, message: refusal.message }
  return jsonAnswer(refusal.status, body)
}
