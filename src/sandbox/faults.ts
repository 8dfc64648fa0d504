/**
 * Faults of the sandbox: rules `<operation>[:<when>]=<fault>[,<key>=<value>]`, separated by spaces (`svc help faults`). `service.ts` asks
 * before each request which of them strike it. The same seed and the same requests meet the same faults, so a failure can be repeated.
 */
import { STATUS_CODES } from 'node:http'
import type { OperationName } from '../api/operations.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import { parseCount, parseDuration } from '../values.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { operationNames, type Sending } from './exchange.ts'
import { mix } from './ids.ts'

/** The work of one fault on a request. */
export interface Effect {
  /** Milliseconds to wait before the operation is applied, and after. */
  readonly before?: number
  readonly after?: number
  /** Whether the operation is applied; it is unless this says otherwise. */
  readonly apply?: boolean
  /** An answer instead of the operation's own; of several the first counts. */
  readonly instead?: Answer
  /** Changes the answer; without a `date` header none is sent. */
  readonly distort?: (answer: Answer) => Answer
  readonly send?: Sending
}

/** The values of a fault by their keys, as they were typed. */
type Values = Readonly<Partial<Record<string, string>>>

/** A fault that a rule can name: the keys that it takes beside `apply`, and its effect. */
export interface FaultKind {
  readonly keys: readonly string[]
  readonly effect: (values: Values) => Effect
}
export type FaultKinds = Readonly<Record<string, FaultKind>>

/** A fault without keys. */
export const plainFault = (effect: Effect): FaultKind => ({
  keys: [],
  effect: () => effect,
})

/** The faults that are words; a status is one too. */
export const faultKinds: FaultKinds = {
  'drop-before': plainFault({ send: 'drop', apply: false }),
  'drop-after-apply': plainFault({ send: 'drop' }),
  'hang-before': plainFault({ send: 'hang', apply: false }),
  'hang-after-apply': plainFault({ send: 'hang' }),
  delay: {
    keys: ['before', 'after'],
    effect: ({ before = '0ms', after = '0ms' }) => ({
      before: parseDuration(before, 'before'),
      after: parseDuration(after, 'after'),
    }),
  },
}

/** API: Errors, the codes of the table; another status has its own times a hundred. */
const codes: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

const htmlPage =
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Proxy</h1><p>Please sign in.</p></body></html>\n'

/** An answer of somebody in between: a proxy's page, or nothing at all. */
export function page(status: number, text = htmlPage): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(text),
  }
}

/** A fault that is a status, such as `503` or `429,retry-after=2`. */
function statusFault(status: number): FaultKind {
  const [usualCode, usualMessage] = codes[status] ?? [
    status * 100,
    STATUS_CODES[status] ?? 'Error',
  ]
  return {
    keys: ['retry-after', 'body', 'code', 'message'],
    effect: ({
      body = 'json',
      code = String(usualCode),
      message = usualMessage,
      'retry-after': retryAfter,
    }) => {
      const told = { code: parseCount(code, 'code'), message: decodeURIComponent(message) }
      const bodies = {
        json: jsonAnswer(status, told),
        html: page(status),
        empty: page(status, ''),
      }
      const instead = new Map(Object.entries(bodies)).get(body)
      if (instead === undefined)
        throw usageError(`body=${body} is not one of json, html, empty`)
      if (retryAfter !== undefined) instead.headers['retry-after'] = retryAfter
      return { apply: false, instead }
    },
  }
}

interface Rule {
  /** The rule as it was written. */
  readonly text: string
  readonly matches: (operation: OperationName | null) => boolean
  /** Whether the fault strikes at the n-th matching request, from 1. */
  readonly strikes: (n: number) => boolean
  readonly effect: Effect
}

/** The faults of a sandbox. They count, so that each rule has its first, second and n-th request. */
export type Faults = ReturnType<typeof parseFaults>

/** Parses rules. `seed` decides which requests `p%` strikes; `more` are faults for tests. Throws a usage error that names the rule. */
export function parseFaults(text: string, seed: number, more?: FaultKinds) {
  const kinds = { ...faultKinds, ...more }
  const words = text.split(/\s+/).filter((word) => word !== '')
  const clocks = words.filter((word) => word.startsWith('clock='))
  const clock = clocks.map((word) =>
    inRule(word, () => skewOf(word.slice('clock='.length))),
  )
  const rules = words
    .filter((word) => !clocks.includes(word))
    .map((word, n) =>
      inRule(word, () =>
        parseRule(word, kinds, (count) => mix(seed, 61, n, count) / 2 ** 32),
      ),
    )
  const counts = rules.map(() => 0)
  return {
    /** Milliseconds that the service's clock is ahead of this machine's. */
    clock: clock.at(-1) ?? 0,
    /** Counts a request in every rule that matches, and returns the effects of those that strike. */
    strike(operation: OperationName | null): (Effect & { readonly rule: string })[] {
      return rules.flatMap(({ text: rule, matches, strikes, effect }, n) => {
        if (!matches(operation)) return []
        const count = (counts[n] ?? 0) + 1
        counts[n] = count
        return strikes(count) ? [{ ...effect, rule }] : []
      })
    },
  }
}

const ruleForm =
  /^(?<operation>[^=:]+)(?::(?<when>[^=:]+))?=(?<name>[^,=]+)(?:,(?<values>.*))?$/

/** `random`: from 0 up to, not including, 1, for the n-th matching request. */
function parseRule(text: string, kinds: FaultKinds, random: (n: number) => number): Rule {
  const match = ruleForm.exec(text)
  if (match === null) throw usageError('a rule is written <operation>:<when>=<fault>')
  const { operation = '', when = '1+', name = '', values: typed } = match.groups ?? {}
  const kind = kindOf(name, kinds)
  const { apply, ...values } = Object.fromEntries((typed?.split(',') ?? []).map(splitPair))
  const unknown = Object.keys(values).find((key) => !kind.keys.includes(key))
  if (unknown !== undefined) {
    const known = [...kind.keys, 'apply'].join(', ')
    throw usageError(`${name} has no "${unknown}"`, `it takes ${known}`)
  }
  if (apply !== undefined && apply !== 'yes')
    throw usageError(`apply=${apply} is not apply=yes`)
  const effect = kind.effect(values)
  return {
    text,
    matches: matcher(operation),
    strikes: condition(when, random),
    effect: apply === undefined ? effect : { ...effect, apply: true },
  }
}

function splitPair(pair: string): [key: string, value: string] {
  const equals = pair.indexOf('=')
  if (equals < 1) throw usageError(`"${pair}" is not <key>=<value>`)
  return [pair.slice(0, equals), pair.slice(equals + 1)]
}

/** Every error names the rule that it is about. */
function inRule<T>(rule: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const hint = error instanceof SvcError ? error.details.hint : undefined
    throw usageError(`the fault rule "${rule}" cannot be read: ${messageOf(error)}`, hint)
  }
}

function kindOf(name: string, kinds: FaultKinds): FaultKind {
  if (/^[2-5]\d\d$/.test(name)) return statusFault(Number(name))
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind !== undefined) return kind
  const known = Object.keys(kinds).join(', ')
  throw usageError(`"${name}" is not a fault`, `faults: a status from 200 to 599, ${known}`)
}

/** The requests that a rule is about: all, those of a noun (`lists.*`), or those of one operation. */
function matcher(operation: string): Rule['matches'] {
  const noun = /^[a-z]+\.(?=\*$)/.exec(operation)?.[0]
  const matches = (name: OperationName | null): boolean =>
    operation === '*' ||
    name === operation ||
    (noun !== undefined && name?.startsWith(noun) === true)
  if (operation === '*' || operationNames.some(matches)) return matches
  const known = `*, lists.*, contacts.*, tickets.*, ${operationNames.join(', ')}`
  throw usageError(
    `"${operation}" is not an operation`,
    `operations: ${known}\nsetting: clock`,
  )
}

/** `3`, `3-5` and `3+` by the number of the request, `2.5%` by chance. */
const whenForm =
  /^(?:(?<from>\d{1,9})(?:-(?<to>\d{1,9})|(?<plus>\+))?|(?<percent>\d{1,3}(?:\.\d+)?)%)$/

function condition(when: string, random: (n: number) => number): Rule['strikes'] {
  const { from, to, plus, percent } = whenForm.exec(when)?.groups ?? {}
  if (percent !== undefined && Number(percent) <= 100) {
    return (n) => random(n) * 100 < Number(percent)
  }
  if (from === undefined) throw usageError(`"${when}" is not a condition: n, n-m, n+ or p%`)
  const first = Number(from)
  const last = plus === undefined ? Number(to ?? from) : Infinity
  if (first < 1 || last < first) {
    throw usageError(`"${when}" never happens: requests are counted from 1`)
  }
  return (n) => n >= first && n <= last
}

/** Milliseconds that a clock is ahead, of `+6m` and `-90s`. */
function skewOf(text: string): number {
  const sign = { '+': 1, '-': -1 }[text.slice(0, 1)]
  if (sign === undefined) throw usageError(`"${text}" is not a difference: use +6m or -90s`)
  return sign * parseDuration(text.slice(1), 'clock')
}
