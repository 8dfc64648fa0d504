/**
 * An answer before it is sent; one that refuses is thrown where the rule is checked, and caught where
 * answers are made.
 */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** An answer whose body is a value as JSON. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value) ?? ''),
  }
}

/** API: Errors, only `{ code, message }`. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(status: number, code: number, message: string) {
    super(message)
    this.answer = jsonAnswer(status, { code, message })
  }
}

/** API: Errors, the codes of the table; the rest are the sandbox's own, since the description gives none. */
export const refusals = {
  validation: (what: string) => new Refusal(400, 40001, `Validation error: ${what}`),
  credentials: () => new Refusal(401, 40121, 'Invalid API credentials'),
  webPage: (why: string) =>
    new Refusal(403, 40300, `No web page may use the sandbox: ${why}`),
  scope: () => new Refusal(403, 40361, 'API key scope is not sufficient'),
  subscription: () =>
    new Refusal(403, 40351, 'API access is unavailable on your current plan'),
  history: () =>
    new Refusal(
      403,
      40352,
      'Tickets older than 30 days are unavailable on your current plan',
    ),
  route: () => new Refusal(404, 40400, 'There is no such endpoint'),
  unknown: (what: string) => new Refusal(404, 40401, `${what} does not exist`),
  tooLarge: () => new Refusal(413, 41300, 'The request body is too large'),
} as const
