/**
 * Requests and answers as bytes: which operation a request names, and how an answer is sent. A refusal is thrown where a
 * rule is checked, and is caught by `service.ts`. "API": the description of the service.
 */
import type { ServerResponse } from 'node:http'
import { operations, type OperationName } from '../api/operations.ts'

/** A request as received: read, but not checked. */
export interface Arrival {
  /** Milliseconds since 1970. */
  at: number
  method: string
  /** Path and query. */
  url: string
  headers: Record<string, string | string[] | undefined>
  rawBody: Buffer
}

/** The value of a header that was sent once: repeated ones are arrays. */
export function headerOf({ headers }: Arrival, name: string) {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** `company.ts` has a method of the same name for each operation. */
export const operationNames = Object.keys(operations).filter(
  (name): name is OperationName => name in operations,
)

const patterns = operationNames.map((name) => {
  const operation = operations[name]
  const source = operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return { name, operation, pattern: new RegExp(`^${source}$`) }
})

/** The path of a request line as it was sent, not normalized as by `URL`: `/v1/lists/../contacts` is not a route. */
export function pathOf(url: string): string {
  return url.replace(/\?.*$/s, '')
}

export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.slice(pathOf(url).length))
}

/**
 * The operation of a request, and the ids in its path by name, as they were sent and not checked yet; undefined if there
 * is no such operation.
 */
export function findRoute(method: string, url: string) {
  for (const { name, operation, pattern } of patterns) {
    const match = operation.method === method ? pattern.exec(pathOf(url)) : null
    if (match !== null) return { name, operation, ids: { ...match.groups } } as const
  }
  return undefined
}

/** An answer before it is sent. */
export interface Answer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
}

/** The way in which a fault replaces the sending of an answer: drop the connection, never answer, or what a test does. */
export type Delivery = 'drop' | 'hang' | ((response: ServerResponse) => void)

/** Sends an answer, unless a fault asks for another delivery. Resolves to whether all of it was sent. */
export async function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  delivery?: Delivery,
): Promise<boolean> {
  if (delivery === 'drop') response.destroy()
  else if (typeof delivery === 'function') delivery(response)
  if (delivery !== undefined || response.destroyed) return false
  const hasBody = status !== 204 && status !== 304
  const length = hasBody ? { 'content-length': body.length } : {}
  const closed = new Promise((resolve) => void response.once('close', resolve))
  response.sendDate = false
  response.writeHead(status, { ...headers, ...length })
  response.end(hasBody ? body : undefined)
  await closed
  return response.writableFinished
}

/** An answer whose body is a value as JSON. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value) ?? ''),
  }
}

/** API: Errors. The body has a code and a message, and nothing else. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(status: number, code: number, message: string) {
    super(message)
    this.answer = jsonAnswer(status, { code, message })
  }
}

/**
 * API: Errors, for the codes 40001, 40121, 40351, 40361 and 50001. The others are the sandbox's own, because the description
 * gives none.
 */
export const refusals = {
  validation: (what: string) => new Refusal(400, 40001, `Validation error: ${what}`),
  credentials: () => new Refusal(401, 40121, 'Invalid API credentials'),
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
  notFound: (what: string) => new Refusal(404, 40401, `${what} does not exist`),
} as const
