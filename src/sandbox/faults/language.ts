/** Faults: comma-separated `<operation>:<when>=<fault>` and settings, parsed once. Same seed, same faults. */
import { type Message } from '../../message.ts'
import type { OperationName } from '../../api/operations.ts'
import { messageOf, SvcError, usageError } from '../../errors.ts'
import {
  both,
  type Effect,
  faultKinds,
  statusFault,
  type FaultKinds,
  durationOf,
  Params,
  skewOf,
  splitOutside,
} from './kinds.ts'
import { operationNames } from '../routes.ts'
import { mix } from '../ids.ts'

interface Rule {
  readonly matches: (operation: OperationName | undefined) => boolean
  /** Whether the fault strikes at the n-th matching request, from 1. */
  readonly strikes: (n: number) => boolean
  readonly effect: Effect
  count: number
}

export interface FaultSettings {
  /** Milliseconds that the service's clock is ahead of this machine's. */
  readonly clock: number
  /** Milliseconds before every request is looked at. */
  readonly latency: number
}

export class Faults {
  readonly settings: FaultSettings
  readonly #rules: readonly Rule[]

  constructor(rules: readonly Rule[], settings: FaultSettings) {
    this.#rules = rules
    this.settings = settings
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

const settingNames = ['clock', 'latency', 'seed']

/**
 * Parses a specification. `seed` decides what `p%` hits unless the text sets its own; `more` are kinds of faults beside those of the help.
 * Throws a usage error.
 */
export function parseFaults(spec: string, seed: number, more?: FaultKinds): Faults {
  const kinds = { ...faultKinds, ...more }
  const settings: Record<string, string> = {}
  const pending: { text: string; operation: string; when: string; fault: string }[] = []
  const parts = inRule(spec, () => splitOutside(spec, ','))
  for (const text of parts) {
    if (text === '') continue
    const [, left, fault] = /^([^=(]*)=(.*)$/s.exec(text) ?? []
    const [operation = '', when = '1+', ...more] = (left ?? '')
      .split(':')
      .map((word) => word.trim())
    if (fault === undefined || more.length > 0)
      throw ruleError(text, 'a rule is written <operation>:<when>=<fault>')
    if (settingNames.includes(operation)) {
      if (left?.includes(':') === true)
        throw ruleError(text, `the setting "${operation}" has no condition`)
      settings[operation] = fault.trim()
    } else pending.push({ text, operation, when, fault: fault.trim() })
  }
  const setting = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = settings[name]
    return text === undefined ? undefined : inRule(`${name}=${text}`, () => parse(text))
  }
  const randomness = setting('seed', seedOf) ?? seed
  const rules = pending.map(({ text, operation, when, fault }, index) =>
    inRule(text, (): Rule => {
      const effect = { ...parseFault(fault, kinds), rules: [text] }
      const strikes = condition(when, (n) => mix(randomness, 61, index, n) / 2 ** 32)
      return { matches: matcher(operation), strikes, effect, count: 0 }
    }),
  )
  return new Faults(rules, {
    clock: setting('clock', skewOf) ?? 0,
    latency: setting('latency', durationOf) ?? 0,
  })
}

function ruleError(rule: string, why: string, hint?: Message): SvcError {
  return usageError(`the fault rule "${rule}" cannot be read: ${why}`, hint)
}

function inRule<T>(rule: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw ruleError(
      rule,
      messageOf(error),
      error instanceof SvcError ? error.details.hint : undefined,
    )
  }
}

function matcher(operation: string): Rule['matches'] {
  if (operation === '*') return () => true
  if (operationNames.some((name) => name === operation)) return (name) => name === operation
  if (/^[a-z]+\.\*$/.test(operation)) {
    const noun = operation.slice(0, -1)
    if (operationNames.some((name) => name.startsWith(noun)))
      return (name) => name?.startsWith(noun) === true
  }
  throw usageError(
    `"${operation}" is not an operation`,
    `operations: *, lists.*, contacts.*, tickets.*, ${operationNames.join(', ')}\nsettings: ${settingNames.join(', ')}`,
  )
}

function condition(when: string, random: (n: number) => number): Rule['strikes'] {
  const [, from, dash, to, plus] = /^(\d{1,9})(?:(-)(\d{1,9})|(\+))?$/.exec(when) ?? []
  if (from !== undefined) {
    const first = Number(from)
    const last = plus !== undefined ? Infinity : dash === undefined ? first : Number(to)
    if (first < 1 || last < first)
      throw usageError(`"${when}" never happens: requests are counted from 1`)
    return (n) => n >= first && n <= last
  }
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(when) ?? []
  if (percent !== undefined && Number(percent) <= 100)
    return (n) => random(n) * 100 < Number(percent)
  throw usageError(`"${when}" is not a condition: n, n-m, n+ or p%`)
}

function parseFault(text: string, kinds: FaultKinds): Effect {
  const [, name, inside = ''] = /^([a-z0-9-]+)(?:\((.*)\))?$/s.exec(text) ?? []
  const make = makerOf(name ?? '', kinds)
  if (make === undefined) {
    const known = `faults: a status from 100 to 599, ${Object.keys(kinds).join(', ')}`
    throw usageError(`"${name ?? text}" is not a fault`, known)
  }
  const params = new Params(inside)
  const made = both(make(params), gatewayEffect(params))
  const late = params.value('late')
  const isApplied = params.flag('apply') || late !== undefined
  params.finish()
  const more = isApplied ? { ...made, apply: true } : made
  return late === undefined ? more : { ...more, late: durationOf(late) }
}

/** The headers of a gateway or a cache: a `Date` that is not the service's, and an `Age`. */
function gatewayEffect(params: Params): Effect {
  const date = params.value('date')
  const age = params.value('age')
  const ahead = date === undefined ? undefined : skewOf(date)
  const seconds = age === undefined ? undefined : Math.round(durationOf(age) / 1000)
  return {
    distort(answer, { now }) {
      const headers = { ...answer.headers }
      if (ahead !== undefined) headers['date'] = new Date(now + ahead).toUTCString()
      if (seconds !== undefined) headers['age'] = String(seconds)
      return { ...answer, headers }
    },
  }
}

function makerOf(name: string, kinds: FaultKinds): ((params: Params) => Effect) | undefined {
  if (/^[1-5]\d\d$/.test(name)) return (params) => statusFault(Number(name), params)
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

function seedOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError('needs a whole number')
  return Number(text)
}
