/** The answers of the sandbox, and refusals that become one. "API" means the description of the service. */
import { STATUS_CODES } from 'node:http'

export interface SandboxAnswer {
  status: number
  /** The headers by their names in lower case. */
  headers: Record<string, string>
  body: string
}

/** Returns an answer with a value as JSON. */
export function jsonAnswer(status: number, value: unknown): SandboxAnswer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: JSON.stringify(value) }
}

/** The usual errors of statuses (API: Errors). */
const usualErrors: Readonly<Record<number, { code: number; message: string }>> = {
  400: { code: 40001, message: 'Validation error' },
  401: { code: 40121, message: 'Invalid API credentials' },
  403: { code: 40361, message: 'API key scope is not sufficient' },
  500: { code: 50001, message: 'Internal server error' },
}

/** Returns an error as an answer. Without a message or a code, the answer has the usual one of its status. */
export function errorAnswer(
  status: number,
  message?: string,
  code?: number,
): SandboxAnswer {
  const usual = usualErrors[status]
  return jsonAnswer(status, {
    code: code ?? usual?.code ?? status * 100,
    message: message ?? usual?.message ?? STATUS_CODES[status] ?? 'Error',
  })
}

/** An error that becomes the answer to a request. */
export class Refusal extends Error {
  readonly answer: SandboxAnswer

  constructor(status: number, message?: string, code?: number) {
    super(message)
    this.answer = errorAnswer(status, message, code)
  }
}

/** Throws a `Refusal` with the reason if a request breaks a rule of the service. */
export function check(isValid: boolean, reason: string): asserts isValid {
  if (!isValid) throw new Refusal(400, `Validation error: ${reason}`)
}

/** Returns a resource. Throws a `Refusal` if it is undefined. The API gives no code for that, so 40401 is made up. */
export function existing<T>(resource: T | undefined, name: string): T {
  if (resource === undefined) throw new Refusal(404, `${name} does not exist`, 40401)
  return resource
}
