/**
 * The faults of the sandbox, and the rules that say which requests they hit: `<operation>[:<when>]=<fault>` (`svc sandbox start
 * --help`). The same requests always meet the same faults, so a failure can be repeated.
 */
import type { OperationName } from '../api/operations.ts'
import { usageError } from '../errors.ts'
import { errorAnswer, operationNames, type SandboxAnswer } from './request.ts'

/** The reply to a client: an answer, a closed connection (`drop`), or nothing at all (`hang`). */
export type Reply = SandboxAnswer | 'drop' | 'hang'

/** Passes a request to the next fault that hits it, or applies it. `now` is the service's time in milliseconds since 1970. */
export type Apply = (now: number) => Reply | Promise<Reply>

/** Decides the outcome of a request. The request is applied only if the fault calls `apply`. */
export type Fault = (apply: Apply, now: number) => Reply | Promise<Reply>

/** Counts a request, and returns the faults that hit it. The operation is undefined if the path names none. */
export type FaultsOf = (operation: OperationName | undefined) => readonly Fault[]

/** Returns a fault that applies a request and does not answer. */
const applyThen =
  (outcome: 'drop' | 'hang'): Fault =>
  async (apply, now) => {
    await apply(now)
    return outcome
  }

const faults: Readonly<Record<string, Fault>> = {
  'drop-before': () => 'drop',
  'drop-after-apply': applyThen('drop'),
  'hang-before': () => 'hang',
  'hang-after-apply': applyThen('hang'),
}
const faultNames = Object.keys(faults)

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

/** `<operation>[:<when>]=<fault>`. `<when>` counts the matching requests from 1: `n`, `n-m`, or `n+`; without it, all are hit. */
const rulePattern =
  /^(?<operation>[^=:]+)(?::(?<first>[1-9]\d{0,8})(?:-(?<last>\d{1,9})|(?<more>\+))?)?=(?<name>.+)$/

/** Parses rules. Tests give a `read` that knows more faults. Throws a usage error that names the wrong rule. */
export function parseFaults(rules: readonly string[], read = readFault): FaultsOf {
  const parsed = rules.map((rule) => parseRule(rule, read))
  return (operation) => parsed.flatMap((faultFor) => faultFor(operation) ?? [])
}

/** Returns a function that counts the matching requests, and returns the fault if it hits the request. */
function parseRule(rule: string, read: typeof readFault) {
  const ruleError = (reason: string, hint?: string) =>
    usageError(`the fault rule "${rule}" cannot be read: ${reason}`, hint)
  const groups = rulePattern.exec(rule)?.groups ?? {}
  const { operation = '', first, last, more, name = '' } = groups
  const from = Number(first ?? 1)
  const isOpenEnded = first === undefined || more !== undefined
  const to = isOpenEnded ? Infinity : Number(last ?? first)
  if (name === '' || to < from) throw ruleError('a rule is <operation>[:<when>]=<fault>')
  // `lists.*` names all operations of lists.
  const matching = operationNames.filter(
    (each) => operation === each || operation === each.replace(/\..*/, '.*'),
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
      `faults: a status from 200 to 599, such as 503 or 429,retry-after=2; ${faultNames.join(', ')}`,
    )
  let count = 0
  return (requested: OperationName | undefined) => {
    const isMatch = operation === '*' || matching.some((each) => each === requested)
    if (isMatch) count += 1
    return isMatch && count >= from && count <= to ? fault : undefined
  }
}
