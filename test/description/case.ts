/**
 * The service's description as data: what is asked, and what must come back. Written by hand from the description and
 * importing nothing of the program, so that svc and its sandbox are each held against the same words, alone.
 */

/** `is`: exactly this. Otherwise the name of a shape (see resources.ts), an object of shapes, or a list of one shape. */
export type Shape = string | { readonly is: unknown } | { readonly [field: string]: Shape } | readonly [Shape]

/** What is right with a request unless a case says otherwise: who sends it, and how it is signed. */
export type Sender = 'read' | 'no-plan' | 'limited-history' | 'wrong' | 'stale' | 'early' | 'nearly stale' | 'nothing'

/**
 * A request to the service, the answer that the description demands, and the place of the description that says so. The request and the
 * body have `{list}` and the like for ids that the service at hand must have: see `Ids`.
 */
export type DescribedCase = readonly [
  name: string,
  rule: string,
  request: string,
  /** A code when the description gives one; `4xx` when it says only that it fails. */
  answer: { readonly data: Shape } | { readonly status: 400 | 401 | 403 | 500 | '4xx'; readonly code?: number },
  body?: unknown,
  sender?: Sender,
]

/** Ids that a case may name. All exist and are what their names say, but for `unknown`. */
export type IdName =
  | 'list'
  | 'emptyList'
  | 'contact'
  | 'otherContact'
  | 'contactWithChats'
  | 'unknown'
  | 'employee'
  | 'aiEmployee'
  | 'employeeInactive'
  | 'employeeWithoutChannel'
  | 'assignee'
  | 'ticket'
  | 'newTicket'
  | 'oldTicket'
  | 'closedTicket'
  | 'notCurrentTicket'
  | 'unassignedTicket'

export type Ids = Readonly<Record<IdName, string>>

/** An answer of a service that knows only what is written down. */
export interface CannedAnswer {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Without the query. */
  readonly path: string
  /** Parameters that must be there with this value; null: must not be there. */
  readonly query?: Readonly<Record<string, string | null>>
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text is sent as it is. */
  readonly body: unknown
}

/** One of the services that the description allows. */
export interface Variant {
  readonly name: string
  /** What the description leaves open here, or `nothing`: then the answers are the description's to the letter. */
  readonly open: string
  readonly answers: readonly CannedAnswer[]
}
