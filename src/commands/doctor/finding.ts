import type { View } from '../../output/result.ts'

/** `skip`: it could not be looked at, or need not be. */
export type State = 'ok' | 'warn' | 'fail' | 'skip'

/** One line of `svc doctor`. */
export interface Finding {
  readonly check: string
  readonly state: State
  readonly message: string
  /** What to do; commands stand on lines of their own. */
  readonly remedy: string | null
  /** The exit code when this is the first failure. */
  readonly exitCode: number
}

const fields = ['check', 'state', 'message', 'remedy', 'exitCode']

export const findingView: View<Finding> = {
  columns: [
    { title: 'STATE', field: 'state', kind: 'state' },
    { title: 'CHECK', field: 'check' },
    { title: 'RESULT', field: 'message' },
    { title: 'REMEDY', field: 'remedy' },
  ],
  fields,
  document: ['status', 'exitCode', 'checks', ...fields.map((field) => `checks.${field}`)],
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message, remedy: null, exitCode: 0 }
}

export function warn(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warn', message, remedy, exitCode: 0 }
}

export function fail(check: string, message: string, remedy: string | null, exitCode: number): Finding {
  return { check, state: 'fail', message, remedy, exitCode }
}

export function skip(check: string, message: string, remedy: string | null = null): Finding {
  return { check, state: 'skip', message, remedy, exitCode: 0 }
}
