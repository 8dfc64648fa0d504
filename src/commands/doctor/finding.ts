import { type Message } from '../../message.ts'
import { columnsFor } from '../../output/columns.ts'
import { SvcError } from '../../errors.ts'
import type { View } from '../../output/result.ts'
import type { Finding } from '../../views/documents.ts'

export const findingView: View<Finding> = {
  columns: columnsFor('state:state', 'check', 'message as RESULT', 'remedy'),
  row: async () => (await import('../../views/documents.ts')).Finding,
  isDocument: true,
  schema: async () => (await import('../../views/documents.ts')).Doctor,
}

/** A finding whose remedy has its commands as parts. */
export type ToldFinding = Omit<Finding, 'remedy'> & { readonly remedy: Message | null }

export function ok(check: string, message: string): ToldFinding {
  return { check, state: 'ok', message, remedy: null, exitCode: 0 }
}

export function warn(check: string, message: string, remedy: Message): ToldFinding {
  return { check, state: 'warn', message, remedy, exitCode: 0 }
}

export function skip(check: string, message: string, remedy: Message | null = null): ToldFinding {
  return { check, state: 'skip', message, remedy, exitCode: 0 }
}

/** A check that returns what is well, or throws what is wrong. */
export async function lookAt(
  check: string,
  look: () => string | Promise<string>,
): Promise<ToldFinding> {
  try {
    return ok(check, await look())
  } catch (error) {
    return failure(check, error)
  }
}

/** A failure in the error's own words. Throws what is no finding. */
export function failure(check: string, error: unknown, exitCode?: number): ToldFinding {
  if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
  const { message, details } = error
  return {
    check,
    state: 'fail',
    message,
    remedy: details.hint ?? null,
    exitCode: exitCode ?? error.exitCode,
  }
}
