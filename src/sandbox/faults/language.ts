/**
 * Faults: comma-separated `<operation>:<when>=<fault>` and settings (`svc help faults`), parsed once. `service.ts` asks before each request
 * what strikes it. The same seed and the same requests meet the same faults, so that what went wrong can be repeated.
 */
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
import { operationNames } from '../exchange.ts'
import { mix } from '../ids.ts'

/** One `<operation>:<when>=<fault>`. */
interface Rule {
  readonly matches: (operation: OperationName | undefined) => boolean
  /** Whether the fault strikes at the n-th matching request, from 1. */
  readonly strikes: (n: number) => boolean
  readonly effect: Effect
  /** Requests that matched so far. */
  count: number
}

/** The words of a rule, each checked when all of them are read: the seed may come behind it. */
interface RuleWords {
  readonly text: string
  readonly operation: string
  readonly when: string
  readonly fault: string
}

export interface FaultSettings {
  /** Milliseconds that the service's clock is ahead of this machine's. */
  readonly clock: number
  /** Milliseconds before every request is looked at. */
  readonly latency: number
}

/** The rules that strike the requests of a sandbox. They count, so that each has its first, second and n-th request. */
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
  const pending: RuleWords[] = []
  const parts = inRule(spec, () => splitOutside(spec, ','))
  for (const text of parts) {
    if (text === '') continue
    const rule = splitRule(text)
    if (!settingNames.includes(rule.operation)) {
      pending.push(rule)
      continue
    }
    if (rule.hasCondition) {
      throw ruleError(text, `the setting "${rule.operation}" has no condition`)
    }
    settings[rule.operation] = rule.fault
  }
  const setting = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = settings[name]
    if (text === undefined) return undefined
    return inRule(`${name}=${text}`, () => parse(text))
  }
  const randomness = setting('seed', seedOf) ?? seed
  const ruleOf = ({ text, operation, when, fault }: RuleWords, index: number): Rule => {
    const effect = { ...parseFault(fault, kinds), rules: [text] }
    const strikes = condition(when, (n) => mix(randomness, 61, index, n) / 2 ** 32)
    return {
      matches: matcher(operation),
      strikes,
      effect,
      count: 0,
    }
  }
  const rules = pending.map((words, index) => inRule(words.text, () => ruleOf(words, index)))
  return new Faults(rules, {
    clock: setting('clock', skewOf) ?? 0,
    latency: setting('latency', durationOf) ?? 0,
  })
}

/** Splits a rule at its first `=` and the left side at `:`. Without a condition it strikes each time. */
function splitRule(text: string): RuleWords & { readonly hasCondition: boolean } {
  const match = /^(?<left>[^=(]*)=(?<fault>.*)$/s.exec(text)
  const left = match?.groups?.['left'] ?? ''
  const fault = match?.groups?.['fault']
  const [operation = '', when, ...more] = left.split(':').map((word) => word.trim())
  if (fault === undefined || more.length > 0) {
    throw ruleError(text, 'a rule is written <operation>:<when>=<fault>')
  }
  return {
    text,
    operation,
    when: when ?? '1+',
    fault: fault.trim(),
    hasCondition: when !== undefined,
  }
}

function ruleError(rule: string, why: string, hint?: Message): SvcError {
  return usageError(`the fault rule "${rule}" cannot be read: ${why}`, hint)
}

/** Runs a part of the parser; whatever it throws names the rule that it was about. */
function inRule<T>(rule: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const hint = error instanceof SvcError ? error.details.hint : undefined
    throw ruleError(rule, messageOf(error), hint)
  }
}

/** The requests that a rule is about: all, those of a noun (`lists.*`), or those of one operation. */
function matcher(operation: string): Rule['matches'] {
  if (operation === '*') return () => true
  const isName = operationNames.some((name) => name === operation)
  if (isName) return (name) => name === operation
  if (/^[a-z]+\.\*$/.test(operation)) {
    const noun = operation.slice(0, -1)
    const isNoun = operationNames.some((name) => name.startsWith(noun))
    if (isNoun) return (name) => name?.startsWith(noun) === true
  }
  const choices = `*, lists.*, contacts.*, tickets.*, ${operationNames.join(', ')}`
  throw usageError(
    `"${operation}" is not an operation`,
    `operations: ${choices}\nsettings: ${settingNames.join(', ')}`,
  )
}

/** `3`, `3-5`, `3+`: by the number of the request. */
const countForm = /^(?<from>\d{1,9})(?:-(?<to>\d{1,9})|(?<plus>\+))?$/
/** `2.5%`: by chance. */
const shareForm = /^(?<percent>\d{1,3}(?:\.\d+)?)%$/

/** When a rule strikes. `random`: from 0 up to, not including, 1, for the n-th matching request. */
function condition(when: string, random: (n: number) => number): Rule['strikes'] {
  const count = countForm.exec(when)?.groups
  if (count !== undefined) {
    const first = Number(count['from'])
    const isOpen = count['plus'] !== undefined
    const last = isOpen ? Infinity : Number(count['to'] ?? first)
    if (first < 1 || last < first) {
      throw usageError(`"${when}" never happens: requests are counted from 1`)
    }
    return (n) => n >= first && n <= last
  }
  const share = shareForm.exec(when)?.groups
  const percent = Number(share?.['percent'] ?? Infinity)
  if (percent <= 100) return (n) => random(n) * 100 < percent
  throw usageError(`"${when}" is not a condition: n, n-m, n+ or p%`)
}

/** A fault and the parameters in its parentheses. */
function parseFault(text: string, kinds: FaultKinds): Effect {
  const match = /^(?<name>[a-z0-9-]+)(?:\((?<inside>.*)\))?$/s.exec(text)
  const name = match?.groups?.['name']
  const inside = match?.groups?.['inside'] ?? ''
  const make = makerOf(name ?? '', kinds)
  if (make === undefined) {
    const choices = Object.keys(kinds).join(', ')
    const hint = `faults: a status from 100 to 599, ${choices}`
    throw usageError(`"${name ?? text}" is not a fault`, hint)
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

/** The function that makes the effect of a fault of this name; undefined when there is no such fault. */
function makerOf(name: string, kinds: FaultKinds): ((params: Params) => Effect) | undefined {
  if (/^[1-5]\d\d$/.test(name)) return (params) => statusFault(Number(name), params)
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

function seedOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageError('needs a whole number')
  return Number(text)
}
