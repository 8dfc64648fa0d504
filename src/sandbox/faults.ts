/**
 * Faults of the sandbox: rules `<operation>[:<when>]=<fault>[,<key>=<value>]`, separated by spaces (`svc help faults`). `service.ts` asks
 * before each request which of them strike it. The same seed and the same requests meet the same faults, so a failure can be repeated.
 */
import { STATUS_CODES } from 'node:http'
import type { OperationName } from '../api/operations.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import { durationMs } from '../values.ts'
import { type Answer, jsonAnswer } from './answer.ts'
import { operationNames, type Sending } from './exchange.ts'
import { mix } from './ids.ts'
import type { Call } from './input.ts'

/** The work of one fault on a request, or of all that struck it. */
export interface Effect {
  /** The rules as they were written. */
  readonly rules?: readonly string[]
  /** Milliseconds to wait before the operation is applied, and after. */
  readonly before?: number
  readonly after?: number
  /** Whether the operation is applied; it is unless this says otherwise. */
  readonly apply?: boolean
  /** Another request for the company than the one that came, for tests. */
  readonly alter?: (call: Call) => Call
  /** An answer instead of the operation's own. `now`: the service's time in milliseconds since 1970. */
  readonly instead?: (now: number) => Answer
  /** Changes the answer; without a `date` header none is sent. */
  readonly distort?: (answer: Answer, now: number) => Answer
  readonly send?: Sending
}

/** The values of a fault by their keys, as they were typed. */
type Values = Readonly<Partial<Record<string, string>>>

/** A fault that a rule can name: the keys that it takes beside those of every fault, and its effect. */
export interface FaultKind {
  readonly keys: readonly string[]
  readonly effect: (values: Values) => Effect
}
export type FaultKinds = Readonly<Record<string, FaultKind>>

const dropped = { send: 'drop' } as const
const hanging = { send: 'hang' } as const

/** The faults that are words; a status is one too. */
export const faultKinds: FaultKinds = {
  answer: { keys: [], effect: () => ({}) },
  'drop-before': { keys: [], effect: () => ({ ...dropped, apply: false }) },
  'drop-after-apply': { keys: [], effect: () => dropped },
  'hang-before': { keys: [], effect: () => ({ ...hanging, apply: false }) },
  'hang-after-apply': { keys: [], effect: () => hanging },
  delay: {
    keys: ['before', 'after'],
    effect: ({ before = '0ms', after = '0ms' }) => ({
      before: durationOf(before),
      after: durationOf(after),
    }),
  },
  duplicate: {
    keys: ['after'],
    effect: ({ after = '0ms' }) => ({ send: { twiceAfter: durationOf(after) } }),
  },
}

/** API: Errors, the codes of the table; another status has its own times a hundred. */
const codes: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

export const htmlPage = Buffer.from(
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Proxy</h1><p>Please sign in.</p></body></html>\n',
)

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
      ...values
    }) => {
      const told = { code: wholeNumber(code), message: decodeURIComponent(message) }
      const answer = {
        json: jsonAnswer(status, told),
        html: page(status, htmlPage),
        empty: page(status, Buffer.alloc(0)),
      }[body]
      if (answer === undefined)
        throw usageError(`body=${body} is not one of json, html, empty`)
      const retryAfter = values['retry-after']
      return {
        apply: false,
        instead: (now) => {
          if (retryAfter === undefined) return answer
          const headers = {
            ...answer.headers,
            'retry-after': retryAfterValue(retryAfter, now),
          }
          return { ...answer, headers }
        },
      }
    },
  }
}

/** An answer of somebody in between: a proxy's page, or nothing at all. */
export function page(status: number, body: Buffer): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** `date+5s` is the service's time and five seconds as an HTTP date; everything else goes out as it is written. */
function retryAfterValue(value: string, now: number): string {
  if (!value.startsWith('date+')) return value
  return new Date(now + durationOf(value.slice('date+'.length))).toUTCString()
}

/** Keys that every fault takes: the headers of a gateway or a cache, and whether the request is applied all the same. */
const everyKey = ['apply', 'date', 'age']

function withEveryKey(effect: Effect, { apply, date, age }: Values): Effect {
  if (apply !== undefined && apply !== 'yes')
    throw usageError(`apply=${apply} is not apply=yes`)
  const ahead = date === undefined ? undefined : skewOf(date)
  const seconds = age === undefined ? undefined : Math.round(durationOf(age) / 1000)
  const gateway: Effect = {
    distort(answer, now) {
      const headers = { ...answer.headers }
      if (ahead !== undefined) headers['date'] = new Date(now + ahead).toUTCString()
      if (seconds !== undefined) headers['age'] = String(seconds)
      return { ...answer, headers }
    },
  }
  const all = both(effect, gateway)
  return apply === undefined ? all : { ...all, apply: true }
}

/** Two effects on one request; where only one can be, it is that of the first. */
function both(one: Effect, other: Effect): Effect {
  return {
    ...other,
    ...one,
    rules: [...(one.rules ?? []), ...(other.rules ?? [])],
    before: (one.before ?? 0) + (other.before ?? 0),
    after: (one.after ?? 0) + (other.after ?? 0),
    apply: one.apply !== false && other.apply !== false,
    alter: (call) => alter(other, alter(one, call)),
    distort: (answer, now) => distort(other, distort(one, answer, now), now),
  }
}

/** The request as the faults leave it. */
export function alter({ alter: change }: Effect, call: Call): Call {
  return change?.(call) ?? call
}

/** The answer as the faults leave it. */
export function distort({ distort: change }: Effect, answer: Answer, now: number): Answer {
  return change?.(answer, now) ?? answer
}

interface Rule {
  readonly matches: (operation: OperationName | undefined) => boolean
  /** Whether the fault strikes at the n-th matching request, from 1. */
  readonly strikes: (n: number) => boolean
  readonly effect: Effect
  /** Requests that matched so far. */
  count: number
}

/** The rules that strike the requests of a sandbox. They count, so that each has its first, second and n-th request. */
export class Faults {
  /** Milliseconds that the service's clock is ahead of this machine's. */
  readonly clock: number
  readonly #rules: readonly Rule[]

  constructor(rules: readonly Rule[], clock: number) {
    this.#rules = rules
    this.clock = clock
  }

  /** Counts this request in every rule that matches, and returns those that strike. */
  strike(operation: OperationName | undefined): Effect {
    let struck: Effect = {}
    for (const rule of this.#rules) {
      if (!rule.matches(operation)) continue
      rule.count += 1
      if (rule.strikes(rule.count)) struck = both(struck, rule.effect)
    }
    return struck
  }
}

/** Parses rules. `seed` decides which requests `p%` strikes; `more` are faults for tests. Throws a usage error that names the rule. */
export function parseFaults(text: string, seed: number, more?: FaultKinds): Faults {
  const kinds = { ...faultKinds, ...more }
  const words = text.split(/\s+/).filter((word) => word !== '')
  const clocks = words.filter((word) => word.startsWith('clock='))
  const rules = words.filter((word) => !clocks.includes(word))
  const clock = clocks.map((word) => inRule(word, () => skewOf(word.slice('clock='.length))))
  const parsed = rules.map((word, n) =>
    inRule(word, () => parseRule(word, kinds, (count) => mix(seed, 61, n, count) / 2 ** 32)),
  )
  return new Faults(parsed, clock.at(-1) ?? 0)
}

/** `random`: from 0 up to, not including, 1, for the n-th matching request. */
function parseRule(text: string, kinds: FaultKinds, random: (n: number) => number): Rule {
  const match =
    /^(?<operation>[^=:]+)(?::(?<when>[^=:]+))?=(?<name>[^,=]+)(?<rest>,.*)?$/.exec(text)
  if (match === null) throw usageError('a rule is written <operation>:<when>=<fault>')
  const { operation = '', when = '1+', name = '', rest = '' } = match.groups ?? {}
  const kind = kindOf(name, kinds)
  const values = Object.fromEntries(rest.split(',').slice(1).map(splitPair))
  const known = [...kind.keys, ...everyKey]
  const unknown = Object.keys(values).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw usageError(`${name} has no "${unknown}"`, `it takes ${known.join(', ')}`)
  }
  return {
    matches: matcher(operation),
    strikes: condition(when, random),
    effect: { ...withEveryKey(kind.effect(values), values), rules: [text] },
    count: 0,
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
  if (/^[1-5]\d\d$/.test(name)) return statusFault(Number(name))
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (kind !== undefined) return kind
  const known = Object.keys(kinds).join(', ')
  throw usageError(`"${name}" is not a fault`, `faults: a status from 100 to 599, ${known}`)
}

/** The requests that a rule is about: all, those of a noun (`lists.*`), or those of one operation. */
function matcher(operation: string): Rule['matches'] {
  const noun = /^[a-z]+\.(?=\*$)/.exec(operation)?.[0]
  const matches = (name: OperationName | undefined): boolean =>
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

/** Milliseconds of `500ms`, `30s`, `2m`, `1h`, `7d`. */
function durationOf(text: string): number {
  const ms = durationMs(text)
  if (ms !== undefined) return ms
  throw usageError(`"${text}" is not a duration: use 500ms, 30s, 2m, 1h or 7d`)
}

/** Milliseconds that a clock is ahead, of `+6m` and `-90s`. */
function skewOf(text: string): number {
  const sign = { '+': 1, '-': -1 }[text.slice(0, 1)]
  if (sign === undefined) throw usageError(`"${text}" is not a difference: use +6m or -90s`)
  return sign * durationOf(text.slice(1))
}

/** A whole number of nine digits at most. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError(`"${text}" is not a whole number`)
  return Number(text)
}
