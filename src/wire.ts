/** What is sent to a service, and what comes back: the types of a wire. `Transport` is one; a test or a simulation makes another. */

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A signed request. */
export interface WireRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  /** Whether it gets a connection of its own, which no request uses before or after it. */
  needsNewConnection: boolean
}

/** The result of a request: an answer, or an error and whether any byte of the request was sent. */
export type Exchange =
  | { kind: 'response'; status: number; headers: AnswerHeaders; body: Buffer }
  | { kind: 'failed'; sent: boolean; error: Error }

export interface WireResult {
  exchange: Exchange
  /** Gives the connection back. `canReuse` says that no rest of the answer can follow, which would be taken for the next one. */
  release: (canReuse: boolean) => void
}

/** The connections to one service. */
export interface Wire {
  /** Sends a request within `timeoutMs` milliseconds, or until the signal aborts it. Never rejects. */
  send(request: WireRequest, timeoutMs: number, signal: AbortSignal): Promise<WireResult>
  /** Aborts the requests in flight. Nothing is sent afterwards. */
  close(): void
}
