/** Answers of the sandbox, and refusals, which are thrown where a rule is checked. "API": the description of the service. */
import { STATUS_CODES } from 'node:http'

export interface Answer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

/** An answer whose body is a value as JSON. */
export function jsonAnswer(status: number, value: unknown): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: JSON.stringify(value) }
}

/** API: Errors, code and message by status. The code of any other status is the status times 100. */
const errors: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

/** The usual error of a status, or another one. */
export function errorAnswer(status: number, message?: string, code?: number): Answer {
  const [usualCode, usualMessage] = errors[status] ?? [status * 100, STATUS_CODES[status]]
  return jsonAnswer(status, {
    code: code ?? usualCode,
    message: message ?? usualMessage ?? 'Error',
  })
}

/** An error as the answer to a request. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(status: number, message?: string, code?: number) {
    super(message)
    this.answer = errorAnswer(status, message, code)
  }
}

/** Throws a `Refusal` with the reason if a rule of the service is broken. */
export function check(isKept: boolean, reason: string): asserts isKept {
  if (!isKept) throw new Refusal(400, `Validation error: ${reason}`)
}

/** The thing with an id. The description gives no code for an id that does not exist. */
export function existing<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new Refusal(404, `${what} does not exist`, 40401)
  return thing
}
