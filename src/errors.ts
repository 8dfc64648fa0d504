/** The error type, its categories and exit codes. Any other error that reaches `main` is a defect of svc (exit 1). */

import type { Message } from './message.ts'

/** Exit codes, by what happened: `svc help exit-codes` explains them. */
export const exit = {
  done: 0,
  internal: 1,
  usage: 2,
  incomplete: 3,
  auth: 4,
  forbidden: 5,
  rejected: 6,
  unavailable: 7,
  confirm: 9,
  local: 10,
  busy: 11,
} as const

const byCategory = {
  usage: exit.usage,
  config: exit.usage,
  auth: exit.auth,
  forbidden: exit.forbidden,
  policy: exit.forbidden,
  rejected: exit.rejected,
  unavailable: exit.unavailable,
  limit: exit.unavailable,
  busy: exit.busy,
  confirm: exit.confirm,
  local: exit.local,
  interrupted: 130,
  internal: exit.internal,
} as const

export type Category = keyof typeof byCategory

/** Details of an error in addition to its message. The JSON form shows all of them. */
export interface ErrorDetails {
  /** More of the message, each text on a line of its own. */
  lines?: readonly string[] | undefined
  /** Advice: what to do now, in words for the person at the terminal; may have several lines. */
  hint?: Message | undefined
  /** Where it differs from the one of the category. */
  exitCode?: number | undefined
  httpStatus?: number | undefined
  /** The service's own error code, for example 40121. */
  code?: number | undefined
  request?:
    | {
        method: string
        path: string
        attempts: number
        requestId?: string | undefined
      }
    | undefined
  profile?: string | undefined
  run?: string | undefined
  /** Which one of several tickets it is about. */
  ticketId?: string | undefined
  /** Where to continue a history that ended early. */
  cursor?: string | undefined
  cause?: unknown
  /** Milliseconds that the service asks to wait, when that is longer than allowed. */
  retryAfter?: number | undefined
  /** Whether the same command, started again, may end better, where that does not follow from its exit code. */
  retry?: boolean | undefined
  /** True when a file has tickets alone, where their new assignees are wanted too. */
  lacksEmployees?: boolean | undefined
  /** True if an attempt may have changed something, and nothing later showed whether it did. */
  ambiguous?: boolean | undefined
}

/** The codes that can apply together, the one that counts first. */
const byUrgency: readonly number[] = [
  exit.unavailable,
  exit.local,
  exit.busy,
  exit.auth,
  exit.forbidden,
  exit.rejected,
  exit.incomplete,
]

/** The code that counts where several apply; 0 where none does. */
export function mostUrgent(codes: readonly number[]): number {
  return byUrgency.find((code) => codes.includes(code)) ?? exit.done
}

/** Codes with which a command that may be started again may end better. */
const passing: ReadonlySet<number> = new Set([
  exit.unavailable,
  exit.local,
  exit.busy,
  130,
  143,
  129,
])

/** Whether running the same command again can help: a read begins anew, and a run goes on where it stopped. */
export function mayRetry(exitCode: number): boolean {
  return passing.has(exitCode)
}

/** An error in words for the person at the terminal, with its category, from which the exit code follows. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly category: Category
  readonly exitCode: number
  readonly details: ErrorDetails
  /** The first line of the message: a line break in it is another's, and is made visible where it is shown. */
  readonly headline: string

  constructor(category: Category, headline: string, details: ErrorDetails = {}) {
    const { lines = [] } = details
    const message = [headline, ...lines].join('\n  ')
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.category = category
    this.headline = headline
    this.exitCode = details.exitCode ?? byCategory[category]
    this.details = details
  }

  /** The same error with more known about it. */
  with(more: ErrorDetails): SvcError {
    const { category, headline, details, exitCode, stack } = this
    const copy = new SvcError(category, headline, { ...details, exitCode, ...more })
    if (stack !== undefined) copy.stack = stack
    return copy
  }
}

/** A mistake in what was typed: exit code 2, nothing was sent. */
export function usageError(message: string, hint?: Message): SvcError {
  return new SvcError('usage', message, { hint })
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` of a Node system error such as ENOENT, or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}
