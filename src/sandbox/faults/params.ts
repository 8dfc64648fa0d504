/** The small words of the fault language: parameters, durations, sizes. */
import { usageError } from '../../errors.ts'
import { durationMs } from '../../values.ts'

/** Milliseconds of `500ms`, `30s`, `2m`, `1h`, `7d`. Throws a usage error. */
export function durationOf(text: string): number {
  const ms = durationMs(text.trim())
  if (ms === undefined)
    throw usageError(`"${text.trim()}" is not a duration: use 500ms, 30s, 2m, 1h or 7d`)
  return ms
}

/** Milliseconds that a clock is ahead, of `+6m` and `-90s`. Throws a usage error. */
export function skewOf(text: string): number {
  const [, sign, skew] = /^([+-])(.*)$/.exec(text) ?? []
  if (skew === undefined) throw usageError('use +6m or -90s')
  return (sign === '-' ? -1 : 1) * durationOf(skew)
}

/** Splits at a character outside quotes and parentheses; spaces around the parts are dropped. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let part = ''
  for (const character of text) {
    if (character === '"') quoted = !quoted
    if (!quoted && character === '(') depth += 1
    if (!quoted && character === ')') depth -= 1
    if (character === separator && !quoted && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += character
  }
  if (quoted) throw usageError('a quote is not closed')
  if (depth !== 0) throw usageError('parentheses do not match')
  return [...parts, part.trim()]
}

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

/** The parameters in the parentheses of a fault. Each read is recorded, so that an unknown word is an error. */
export class Params {
  readonly words: readonly string[]
  readonly #used = new Set<string>()

  constructor(text: string) {
    this.words = text.trim() === '' ? [] : splitOutside(text, ',').map(unquote)
  }

  /** The first word. Throws when there is none. */
  first(what: string): string {
    const [word] = this.words
    if (word === undefined || word === '') throw usageError(`needs ${what} in parentheses`)
    this.#used.add(word)
    return word
  }

  flag(name: string): boolean {
    this.#used.add(name)
    return this.words.includes(name)
  }

  value(name: string): string | undefined {
    const word = this.words.find((one) => one.startsWith(`${name}=`))
    if (word === undefined) return undefined
    this.#used.add(word)
    return unquote(word.slice(name.length + 1).trim())
  }

  number(name: string, text: string): number {
    if (!/^\d{1,9}$/.test(text)) throw usageError(`${name} needs a whole number, not "${text}"`)
    return Number(text)
  }

  /** Throws when a word was never read. */
  finish(): void {
    const unknown = this.words.find((word) => !this.#used.has(word))
    if (unknown !== undefined) throw usageError(`"${unknown}" is not allowed here`)
  }
}
