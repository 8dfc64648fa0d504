/** Makes the answers of the sandbox. A refusal is thrown where a rule is checked. "API" means the description of the service. */
import { STATUS_CODES } from 'node:http'

export interface Answer {
  status: number
  /** The headers by their names in lower case. */
  headers: Record<string, string>
  body: string
}

/** Returns an answer with a value as JSON. */
export function jsonAnswer(status: number, value: unknown): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: JSON.stringify(value) }
}

/** The code and the message of each status (API: Errors). The code of any other status is the status times 100. */
const errors: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

/** Returns an error as an answer. Without a message or a code, it has the usual ones of its status. */
export function errorAnswer(status: number, message?: string, code?: number): Answer {
  const [usualCode, usualMessage] = errors[status] ?? [status * 100, STATUS_CODES[status]]
  return jsonAnswer(status, {
    code: code ?? usualCode,
    message: message ?? usualMessage ?? 'Error',
  })
}

/** An error that becomes the answer to a request. */
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

/** Returns the thing. Throws a `Refusal` if it is undefined. The API's description gives no code for this, so 40401 is made up. */
export function existing<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new Refusal(404, `${what} does not exist`, 40401)
  return thing
}
