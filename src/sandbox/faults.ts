/**
 * Faults of the sandbox: rules `<operation>[:<when>]=<fault>[,<key>=<value>]`, separated by spaces (`svc
 * help faults`). The same requests meet the same faults, so a failure can be repeated.
 */
import { STATUS_CODES } from 'node:http'
import type { OperationName } from '../api/operations.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import { joinOr } from '../words.ts'
import { type Answer, type Delivery, jsonAnswer, operationNames } from './exchange.ts'

/** The effect of one fault on a request. */
export interface Effect {
  /** Milliseconds to wait before the operation is applied, and after. */
  before?: number
  after?: number
  /** Milliseconds that the service's clock is ahead. */
  clock?: number
  /** Whether the operation is applied; it is unless this says otherwise. */
  apply?: boolean
  /** Changes the answer, or makes another one. An answer without a `date` header is sent without a date. */
  change?: (usual: Answer) => Answer
  delivery?: Delivery
}

/** The values of a fault by their keys, as they were typed. */
type FaultValues = Readonly<Partial<Record<string, string>>>

/** A fault that a rule can name: the keys that it takes, and its effect. */
interface FaultKind {
  keys: readonly string[]
  effect: (values: FaultValues) => Effect
}
export type FaultKinds = Readonly<Record<string, FaultKind>>

/** A fault without keys. */
export const plainFault = (effect: Effect): FaultKind => ({
  keys: [],
  effect: () => effect,
})

/** The faults that have names. A status is a fault too. */
export const faultKinds: FaultKinds = {
  'drop-before': plainFault({ delivery: 'drop', apply: false }),
  'drop-after-apply': plainFault({ delivery: 'drop' }),
  'hang-before': plainFault({ delivery: 'hang', apply: false }),
  'hang-after-apply': plainFault({ delivery: 'hang' }),
}

/** API: Errors, code and message by status. The code of any other status is the status times 100. */
const errors: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

/** The effect of a fault that answers in place of the operation, which is not applied. */
export function instead(answer: Answer): Effect {
  const change = ({ headers }: Answer): Answer => {
    return { ...answer, headers: { ...headers, ...answer.headers } }
  }
  return { apply: false, change }
}

/** A fault that is a status, such as `503` or `429,retry-after=2`. */
function statusFault(status: number): FaultKind {
  const usual = [status * 100, STATUS_CODES[status] ?? 'Error'] as const
  const [code, message] = errors[status] ?? usual
  return {
    keys: ['retry-after'],
    effect: ({ 'retry-after': wait }) => {
      const answer = jsonAnswer(status, { code, message })
      if (wait !== undefined) answer.headers['retry-after'] = wait
      return instead(answer)
    },
  }
}

/** Counts a request of an operation, and returns the effects of the rules that strike it. */
export type CountRequest = (operation: OperationName | undefined) => readonly Effect[]

/** Parses rules. `more`: faults for tests. Throws a usage error that names the rule. */
export function parseFaults(text: string, more?: FaultKinds): CountRequest {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const rules = words.map((rule) => {
    try {
      return { ...parseRule(rule, { ...faultKinds, ...more }), count: 0 }
    } catch (error) {
      const hint = error instanceof SvcError ? error.details.hint : undefined
      const problem = `the fault rule "${rule}" cannot be read: ${messageOf(error)}`
      throw usageError(problem, hint)
    }
  })
  return (operation) =>
    rules.flatMap((each) => {
      if (!each.matches(operation)) return []
      each.count += 1
      return each.strikes(each.count) ? [each.effect] : []
    })
}

const ruleForm =
  /^(?<operation>[^=:]+)(?::(?<when>[^=:]+))?=(?<name>[^,=]+)(?:,(?<values>.*))?$/

function parseRule(text: string, kinds: FaultKinds) {
  const match = ruleForm.exec(text)
  if (match === null) throw usageError('a rule is <operation>[:<when>]=<fault>')
  const { operation = '', when = '1+', name = '', values: typed } = match.groups ?? {}
  const kind = kindOf(name, kinds)
  const pairs = typed?.split(',').map((pair) => {
    const [, key = '', value] = /^([^=]+)=(.*)$/.exec(pair) ?? []
    if (value === undefined) throw usageError(`"${pair}" is not <key>=<value>`)
    return [key, value]
  })
  const values = Object.fromEntries(pairs ?? [])
  const unknown = Object.keys(values).find((key) => !kind.keys.includes(key))
  if (unknown !== undefined)
    throw usageError(`${name} has no "${unknown}"`, `it takes ${joinOr(kind.keys)}`)
  return {
    matches: matcher(operation),
    strikes: condition(when),
    effect: kind.effect(values),
  }
}

function kindOf(name: string, kinds: FaultKinds): FaultKind {
  if (/^[2-5]\d\d$/.test(name)) return statusFault(Number(name))
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind !== undefined) return kind
  const known = Object.keys(kinds).join(', ')
  throw usageError(`"${name}" is not a fault`, `faults: a status from 200 to 599, ${known}`)
}

/** Finds whether a rule applies to a request: `*` to every request, `lists.*` to those of a noun, else to one operation. */
function matcher(pattern: string): (operation: OperationName | undefined) => boolean {
  if (pattern === '*') return () => true
  const noun = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined
  const matching = operationNames.filter((name) =>
    noun === undefined ? name === pattern : name.startsWith(noun),
  )
  if (matching.length === 0) {
    const known = `*, lists.*, contacts.*, tickets.*, ${operationNames.join(', ')}`
    throw usageError(`"${pattern}" is not an operation`, `operations: ${known}`)
  }
  return (operation) => operation !== undefined && matching.includes(operation)
}

/** `3`, `3-5` and `3+` count requests. */
const whenForm = /^(?<from>\d{1,9})(?:-(?<to>\d{1,9})|(?<plus>\+))?$/

/** Finds whether a fault strikes at the n-th matching request, from 1. */
function condition(when: string): (n: number) => boolean {
  const { from, to = from, plus } = whenForm.exec(when)?.groups ?? {}
  if (from === undefined) throw usageError(`"${when}" is not a condition: n, n-m or n+`)
  const first = Number(from)
  const last = plus === undefined ? Number(to) : Infinity
  if (first < 1 || last < first) {
    throw usageError(`"${when}" never happens: requests are counted from 1`)
  }
  return (n) => n >= first && n <= last
}
