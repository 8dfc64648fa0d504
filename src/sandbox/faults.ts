/**
 * Reads and applies the faults of the sandbox: rules of the form `<operation>[:<when>]=<fault>` (`svc sandbox start --help`). The
 * same requests always meet the same faults, so a failure can be repeated.
 */
import type { OperationName } from '../api/operations.ts'
import { usageError } from '../errors.ts'
import { errorAnswer, type Answer, operationNames } from './request.ts'

/** What a client gets: an answer, a closed connection (`drop`), or nothing at all (`hang`). */
export type Outcome = Answer | 'drop' | 'hang'

/** Carries a request out. `now` is the time in milliseconds since 1970. */
export type Apply = (now: number) => Outcome | Promise<Outcome>

/** Decides the outcome of a request. The operation is applied only if the fault calls `apply`. */
export type Fault = (apply: Apply, now: number) => Outcome | Promise<Outcome>

/** Counts a request of an operation, and returns its faults. */
export type FaultsOf = (operation: OperationName | undefined) => readonly Fault[]

/** Returns a fault that carries a request out and does not answer it. */
const after =
  (outcome: 'drop' | 'hang'): Fault =>
  async (apply, now) => {
    await apply(now)
    return outcome
  }

const faults: Readonly<Record<string, Fault>> = {
  'drop-before': () => 'drop',
  'drop-after-apply': after('drop'),
  'hang-before': () => 'hang',
  'hang-after-apply': after('hang'),
}
export const faultNames = Object.keys(faults)

/** Returns a fault by its name or its status, such as `503` and `429,retry-after=2`; undefined for any other text. */
export function readFault(text: string): Fault | undefined {
  const [, status, wait] = /^([2-5]\d\d)(?:,retry-after=([!-~]+))?$/.exec(text) ?? []
  if (status === undefined) return Object.hasOwn(faults, text) ? faults[text] : undefined
  return () => {
    const answer = errorAnswer(Number(status))
    if (wait !== undefined) answer.headers['retry-after'] = wait
    return answer
  }
}

/** The form of a rule. `n`, `n-m` and `n+` count the matching requests from 1. */
const form =
  /^(?<operation>[^=:]+)(?::(?<first>[1-9]\d{0,8})(?:-(?<last>\d{1,9})|(?<more>\+))?)?=(?<name>.+)$/

/** Parses rules. Tests pass a `read` that knows more faults. Throws a usage error that names the wrong rule. */
export function parseFaults(rules: readonly string[], read = readFault): FaultsOf {
  const parsed = rules.map((rule) => parseRule(rule, read))
  return (operation) => parsed.flatMap((strike) => strike(operation) ?? [])
}

/** Returns a function that counts requests, and returns the rule's fault for those that it is for. */
function parseRule(rule: string, read: typeof readFault) {
  const ruleError = (reason: string, hint?: string) =>
    usageError(`the fault rule "${rule}" cannot be read: ${reason}`, hint)
  const {
    operation = '',
    first,
    last = first,
    more,
    name = '',
  } = form.exec(rule)?.groups ?? {}
  const from = Number(first ?? 1)
  const to = first === undefined || more !== undefined ? Infinity : Number(last)
  if (name === '' || to < from) throw ruleError('a rule is <operation>[:<when>]=<fault>')
  const matching = operationNames.filter(
    (each) => each === operation || operation === each.replace(/\..*/, '.*'),
  )
  if (operation !== '*' && matching.length === 0)
    throw ruleError(
      `"${operation}" is not an operation`,
      `operations: *, lists.*, contacts.*, tickets.*, ${operationNames.join(', ')}`,
    )
  const fault = read(name)
  if (fault === undefined)
    throw ruleError(
      `"${name}" is not a fault`,
      `faults: a status from 200 to 599, as 503 or 429,retry-after=2; ${faultNames.join(', ')}`,
    )
  let count = 0
  return (requested: OperationName | undefined) => {
    const isMatch = operation === '*' || matching.some((each) => each === requested)
    if (isMatch) count += 1
    return isMatch && count >= from && count <= to ? fault : undefined
  }
}
