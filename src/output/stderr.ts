/** Everything on stderr: notes, warnings, errors, requests, progress, the summary of a bulk run. */
import { mayRetry, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Redactor } from './text/redact.ts'
import { jsonText } from './json.ts'
import type { LastWords } from './incomplete.ts'
import { safe } from './text/safe.ts'
import { cells, wrap } from './text/width.ts'

export type MessageFormat = 'text' | 'json'

/** Units of an error's message, and of its hint, that are shown: more is nothing that a person reads. */
const longestWords = 1 << 14

type MessageHost = Pick<Host, 'stderr' | 'isTerminal' | 'columns' | 'writeAtOnce' | 'now'>

/** A JSON line before it has its time and its run. */
type Line = Readonly<Record<string, unknown>> & { readonly type: string; readonly level?: Level }

type Level = 'error' | 'warning' | 'info' | 'debug'

/** Facts about a run, on every JSON line while it goes on. */
export interface RunFacts {
  readonly run: string | null
  readonly name: string | null
  readonly profile: string | null
  /** The host of the service. */
  readonly host: string
  /** The user who started this process, and the address of its build. */
  readonly by: string
  readonly job: string | undefined
}

interface MessageStyle {
  readonly color?: boolean
  readonly typable?: (text: string) => string
}

export class Messages {
  format: MessageFormat
  /** Whether the words that begin an error or a warning may have a colour, on a terminal. */
  color: boolean
  quiet = false
  /** 0, 1 (`-v`) or 2 (`-vv`). */
  verbose = 0
  readonly #host: MessageHost
  readonly #redactor: Redactor
  /** Makes the commands in a text such that they can be typed as they stand. */
  readonly #typable: (text: string) => string
  #run: RunFacts | undefined
  #write: ((line: string) => void) | undefined

  constructor(
    host: MessageHost,
    redactor: Redactor,
    format: MessageFormat,
    { color = false, typable = (text) => text }: MessageStyle = {},
  ) {
    this.#host = host
    this.#redactor = redactor
    this.format = format
    this.color = color
    this.#typable = typable
  }

  /** From now on everything is about this run. */
  during(run: RunFacts): void {
    this.#run = run
  }

  note(text: string): void {
    this.#message('note', text)
  }

  warn(text: string): void {
    this.#message('warning', text)
  }

  log(level: 1 | 2, text: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#detail(level, { type: 'note', level: 'debug', ...facts, message: text }, text)
  }

  /** An attempt of a request that has ended; `text` says the same in words. */
  request(facts: Readonly<Record<string, unknown>>, text: string): void {
    this.#detail(1, { type: 'request', level: 'debug', ...facts }, text)
  }

  /** A line of progress: its JSON was asked for, whatever the format of messages. */
  progress(line: Line): void {
    this.#line(this.#textOf(line))
  }

  /** An error as one line of text, and as the line of JSON that it is here. */
  lastLine(error: SvcError): Pick<LastWords, 'words' | 'json'> {
    const words = this.#wordsOf(error).lines.join(' ')
    return {
      words: this.#redactor.apply(safe(words)),
      json: this.#textOf(this.#errorDocument(error)),
    }
  }

  error(error: SvcError, stack: string | undefined): void {
    if (this.format === 'json') return this.#line(this.#textOf(this.#errorDocument(error)))
    const { lines, hint } = this.#wordsOf(error)
    const foreign = lines.map((line) => this.#cleanLine(line))
    const [first = '', ...rest] = foreign
    const ours = hint === undefined ? [] : this.#clean(hint).split('\n')
    const indented = [...rest, ...ours].map((line) => `  ${line}`)
    const text = [`error: ${first}${numbersOf(error)}`, ...indented].join('\n')
    this.#line(text, foreign.length)
    if (stack !== undefined) this.#line(this.#clean(stack))
  }

  /** The summary document, when stdout carries receipts. `-q` keeps it. */
  summary(summary: Readonly<Record<string, unknown>>): void {
    this.#put(`${this.#textOf({ type: 'summary', ...summary })}\n`)
  }

  /** While a bar is drawn, lines go through it: it clears itself, writes the line, draws itself again. */
  through(write: ((line: string) => void) | undefined): void {
    this.#write = write
  }

  #message(type: 'note' | 'warning', message: string): void {
    const level = type === 'note' ? 'info' : type
    if (this.quiet) return
    const text = this.#typable(message)
    if (this.format === 'json')
      return this.#line(this.#textOf({ type: 'note', level, message: text }))
    this.#line(`${type}: ${this.#clean(indentLines(text))}`, type === 'note' ? 0 : Infinity)
  }

  #detail(level: 1 | 2, line: Line, text: string): void {
    if (this.quiet || this.verbose < level) return
    this.#line(this.format === 'json' ? this.#textOf(line) : this.#cleanLine(text))
  }

  #textOf(line: Line): string {
    return jsonText(this.#complete(line))
  }

  /** Message and hint of an error as they are shown. A secret is hidden before a cut could leave half of it. */
  #wordsOf({ headline, message, details: { lines = [], hint } }: SvcError) {
    const cut = (text: string): string =>
      text.length <= longestWords ? text : this.#redactor.hideIn(text).slice(0, longestWords)
    return {
      message: cut(message),
      lines: [headline, ...lines].map(cut),
      hint: hint === undefined ? undefined : this.#typable(cut(hint)),
    }
  }

  #errorDocument(failure: SvcError): Line {
    const { category, exitCode, details } = failure
    const {
      httpStatus = null,
      code = null,
      request = null,
      profile = null,
      run = null,
      ticketId,
      cursor,
    } = details
    const { message, hint = null } = this.#wordsOf(failure)
    const isRepeatable =
      this.#run === undefined || this.#run.run === null || this.#run.name !== null
    const retry = details.retry ?? mayRetry(exitCode, isRepeatable)
    const error = {
      category,
      exitCode,
      httpStatus,
      code,
      message,
      hint,
      request,
      profile,
      run,
      ticketId,
      cursor,
      retry,
    }
    return { type: 'error', level: 'error', error }
  }

  #complete({ type, level = 'info', ...rest }: Line): unknown {
    const time = new Date(this.#host.now()).toISOString()
    return this.#redactor.applyTo({ type, time, level, ...this.#run, ...rest })
  }

  /** Lines of ours with others' words in them, made safe. */
  #clean(text: string): string {
    return this.#redactor.apply(safe(text, { newlines: 'lines' }))
  }

  /** A text that is one line: a line break in it is another's, and must not begin a line of ours. */
  #cleanLine(text: string): string {
    return this.#redactor.apply(safe(text))
  }

  /**
   * Writes what is redacted already. `foreign`: how many lines from the first on may hold others' words; undefined for what
   * a program wants as it is, which is not laid out.
   */
  #line(text: string, foreign?: number): void {
    const host = this.#host
    const width = host.isTerminal.stderr && foreign !== undefined ? host.columns() : undefined
    const laid = width === undefined ? text : layOut(text, width - 1, foreign ?? 0)
    if (this.#write !== undefined) {
      this.#write(laid)
      return
    }
    this.#put(`${this.color && host.isTerminal.stderr ? paintFirstWord(laid) : laid}\n`)
  }

  #put(text: string): void {
    const rest = this.#host.writeAtOnce?.(text, 'stderr') ?? text
    if (rest.length > 0) this.#host.stderr.write(rest)
  }
}

/** Wraps lines at blanks, indented. A long command of ours gets a line of its own; one in others' words does not. */
function layOut(text: string, width: number, foreign: number): string {
  return text
    .split('\n')
    .flatMap((line, at) => (cells(line) <= width ? [line] : layOutLine(line, width, at < foreign)))
    .join('\n')
}

function layOutLine(line: string, width: number, isForeign: boolean): string[] {
  const indent = /^ */.exec(line)?.[0] ?? ''
  if (!isForeign && isCommand(line)) return [line]
  // The text of others stands in quotes or brackets in words of ours.
  const command = isForeign ? null : /^([^"()]*[:;,]) ((?:npx )?svc .*)$/.exec(line)
  const [words = '', ...rest] =
    command === null || !isCommand(command[2] ?? '') ? [line] : command.slice(1)
  const first = wrap(words, width)[0] ?? ''
  const more = words.slice(first.length).trimStart()
  const hanging = `${indent}  `
  return [
    first,
    ...(more === '' ? [] : wrap(more, width - hanging.length).map((part) => hanging + part)),
    ...rest.map((part) => hanging + part),
  ]
}

/** Whether a line is to be typed. A sentence may begin with a command or an option, but a command has no pause outside of quotes. */
function isCommand(line: string): boolean {
  return (
    /^ *(?:(?:npx )?svc |--)/.test(line) && !/[:;,] /.test(line.replaceAll(/'[^']*'|"[^"]*"/g, ''))
  )
}

function paintFirstWord(text: string): string {
  return text.replace(
    /^(?:error|warning):/,
    (word) => `\u001b[${word === 'error:' ? '1;31' : '33'}m${word}\u001b[0m`,
  )
}

/** Lines of ours below the first one, as parts of one message. */
export function indentLines(text: string): string {
  return text.replace(/\n(?! )/g, '\n  ')
}

/** HTTP's status and the service's code, where the message does not name them. */
function numbersOf({ message, details: { httpStatus, code } }: SvcError): string {
  const isRefusal = httpStatus !== undefined && httpStatus >= 300
  const numbers = [
    ...(isRefusal ? [`HTTP ${httpStatus}`] : []),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].filter((number) => !message.includes(number))
  return numbers.length === 0 ? '' : ` (${numbers.join(', ')})`
}
