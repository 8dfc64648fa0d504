/**
 * Faults of the sandbox: rules `<operation>[:<when>]=<fault>` (`svc sandbox start --help`). The same requests meet the same
 * faults, so a failure can be repeated.
 */
import type { OperationName } from '../api/operations.ts'
import { usageError } from '../errors.ts'
import { errorAnswer, type Answer } from './answer.ts'
import { operationNames } from './routes.ts'

/** What a client gets: an answer, a connection that is closed, or nothing at all. */
export type Outcome = Answer | 'drop' | 'hang'

/** Carries a request out at a time in milliseconds since 1970. */
export type CarryOut = (now: number) => Outcome | Promise<Outcome>

/** What happens to a request, which is carried out only if the fault does so. */
export type Fault = (carryOut: CarryOut, now: number) => Outcome | Promise<Outcome>

/** Counts a request of an operation, and returns the faults that strike it. */
export type FaultsOf = (operation: OperationName | undefined) => readonly Fault[]

/** Carries a request out, and then does something else than to answer. */
const after =
  (outcome: 'drop' | 'hang'): Fault =>
  async (carryOut, now) => {
    await carryOut(now)
    return outcome
  }

const faults: Readonly<Record<string, Fault>> = {
  'drop-before': () => 'drop',
  'drop-after-apply': after('drop'),
  'hang-before': () => 'hang',
  'hang-after-apply': after('hang'),
}
export const faultNames = Object.keys(faults)

/** A fault by its name, or by its status as in `503` and `429,retry-after=2`. */
export function readFault(text: string): Fault | undefined {
  const [, status, wait] = /^([2-5]\d\d)(?:,retry-after=([!-~]+))?$/.exec(text) ?? []
  if (status === undefined) return Object.hasOwn(faults, text) ? faults[text] : undefined
  return () => {
    const answer = errorAnswer(Number(status))
    if (wait !== undefined) answer.headers['retry-after'] = wait
    return answer
  }
}

/** `n`, `n-m` and `n+` count the matching requests from 1. */
const form =
  /^(?<operation>[^=:]+)(?::(?<first>[1-9]\d{0,8})(?:-(?<last>\d{1,9})|(?<more>\+))?)?=(?<name>.+)$/

/** Parses rules. `read`: tests know more faults. Throws a usage error that names the rule. */
export function parseFaults(rules: readonly string[], read = readFault): FaultsOf {
  const parsed = rules.map((rule) => parseRule(rule, read))
  return (operation) => parsed.flatMap((strike) => strike(operation) ?? [])
}

function parseRule(rule: string, read: typeof readFault) {
  const refuse = (reason: string, hint?: string) =>
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
  if (name === '' || to < from) throw refuse('a rule is <operation>[:<when>]=<fault>')
  const matching = operationNames.filter(
    (each) => each === operation || operation === each.replace(/\..*/, '.*'),
  )
  if (operation !== '*' && matching.length === 0)
    throw refuse(
      `"${operation}" is not an operation`,
      `operations: *, lists.*, contacts.*, tickets.*, ${operationNames.join(', ')}`,
    )
  const fault = read(name)
  if (fault === undefined)
    throw refuse(
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
