/**
 * Everything on stderr: notes, warnings, errors, requests, progress, the summary of a bulk run; as text for
 * people or as lines of JSON (`--error-format`). Everything passes the redactor here, so that no message can
 * carry a secret. Long lines are broken at spaces, but never within a command that can be copied.
 */
import { mayRetry, type SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { partsOf, say, textOf, type Message, type ShownCommand } from '../message.ts'
import type { Redactor } from '../redactor.ts'
import { jsonText } from './json.ts'
import { safe } from '../safe-text.ts'

export type MessageFormat = 'text' | 'json'

type MessageHost = Pick<Host, 'stderr' | 'isTerminal' | 'columns' | 'writeAtOnce' | 'now'>

/** A JSON line before it has its time and its run. */
type MessageLine = Readonly<Record<string, unknown>> & {
  type: string
  level?: Level
}

type Level = 'error' | 'warning' | 'info' | 'debug'

/** Facts about a run, on every JSON line during the run. */
export interface RunFacts {
  run: string | null
  name: string | null
  profile: string | null
  /** The host of the service. */
  host: string
  /** The user who started this process. */
  by: string
}

/** The style of messages, once the command line is read. */
interface MessageStyle {
  color?: boolean
  /** A command as it can be typed here. */
  write?: (command: ShownCommand) => string
}

/**
 * The one writer of stderr in a process. It is made before the command line is read, and gets the format, color and run when
 * they are known.
 */
export class Messages {
  format: MessageFormat
  /** Whether the words that begin an error or a warning may have a color, on a terminal. */
  color: boolean
  quiet = false
  /** 0, 1 (`-v`) or 2 (`-vv`). */
  verbose = 0
  /** Knows the secrets that were read. */
  readonly redactor: Redactor
  readonly #host: MessageHost
  readonly #writeCommand: (command: ShownCommand) => string
  #run: RunFacts | undefined
  /** Gets the lines instead of stderr, while a bar is drawn. */
  #divert: ((line: string) => void) | undefined

  constructor(
    host: MessageHost,
    redactor: Redactor,
    format: MessageFormat,
    { color = false, write = ({ text }) => `svc ${text}` }: MessageStyle = {},
  ) {
    this.#host = host
    this.redactor = redactor
    this.format = format
    this.color = color
    this.#writeCommand = write
  }

  /** From now on, JSON lines carry the facts of this run. */
  setRun(run: RunFacts) {
    this.#run = run
  }

  note(message: Message) {
    this.#message('note', message)
  }

  warn(message: Message) {
    this.#message('warning', message)
  }

  /** The text of a message, with its commands as they can be typed here. */
  readonly textOf = (message: Message | ShownCommand): string =>
    textOf(message, this.#writeCommand)

  /** A line of `-v` (1) or `-vv` (2), in words or with these members as JSON; without them it is a note. */
  log(level: 1 | 2, text: string, members: Readonly<Record<string, unknown>> = {}) {
    if (this.quiet || this.verbose < level) return
    const line = { type: 'note', level: 'debug', message: text, ...members } as const
    this.#print(this.format === 'json' ? this.#jsonOf(line) : this.#clean(text))
  }

  /** A line of progress, as JSON if that was asked for, independent of the format of messages. */
  progress(line: MessageLine) {
    this.#print(this.#jsonOf(line))
  }

  /** An error as the line of JSON with which ndjson ends. */
  errorLine(error: SvcError) {
    return this.#jsonOf(this.#errorDocument(error))
  }

  error(error: SvcError, stack?: string) {
    if (this.format === 'json') {
      this.#print(this.#jsonOf(this.#errorDocument(error)))
      return
    }
    const { headline, details } = error
    const { lines = [], hint } = details
    const first = `error: ${this.#clean(headline)}${numbersOf(error)}`
    const others = lines.map((line) => `\n  ${this.#clean(line)}`)
    const advice = hint === undefined ? '' : this.#layOut(say`\n${hint}`, indentAll)
    this.#print(this.#wrap(first + others.join('') + advice))
    if (stack !== undefined) this.#print(this.#clean(stack, 'lines'))
  }

  /** The summary document, when stdout carries receipts. `-q` keeps it. */
  summary(summary: Readonly<Record<string, unknown>>) {
    this.#put(`${this.#jsonOf({ type: 'summary', ...summary })}\n`)
  }

  /**
   * From now on passes lines to `write` instead of stderr: a bar clears itself, writes the line, and draws itself again.
   * Undefined ends that.
   */
  divertTo(write: ((line: string) => void) | undefined) {
    this.#divert = write
  }

  #message(word: 'note' | 'warning', message: Message) {
    if (this.quiet) return
    const level = word === 'note' ? 'info' : word
    const line = { type: 'note', level, message: this.textOf(message) } as const
    if (this.format === 'json') this.#print(this.#jsonOf(line))
    else this.#print(this.#wrap(this.#layOut(say`${word}: ${message}`, indentLines)))
  }

  /** The text of a message. `indent` indents its lines except the first. */
  #layOut(message: Message, indent: (text: string) => string) {
    const parts = partsOf(message).map((part) => {
      if (typeof part !== 'string') return hold(this.#clean(this.textOf([part]), 'lines'))
      return this.#clean(indent(part), 'lines')
    })
    return parts.join('')
  }

  /**
   * Wraps a text at the width of the terminal. Without one, nothing is wrapped, because programs may look for a whole line.
   */
  #wrap(text: string) {
    const { isTerminal, columns } = this.#host
    return wrap(text, isTerminal.stderr ? columns() : undefined)
  }

  #errorDocument(failure: SvcError): MessageLine {
    const { category, exitCode, message, details } = failure
    const { hint } = details
    const retry = details.retry ?? mayRetry(exitCode)
    const error = {
      category,
      exitCode,
      httpStatus: details.httpStatus ?? null,
      code: details.code ?? null,
      message,
      hint: hint === undefined ? null : this.textOf(hint),
      request: details.request ?? null,
      profile: details.profile ?? this.#run?.profile ?? null,
      run: details.run ?? this.#run?.run ?? null,
    }
    return { type: 'error', level: 'error', error, retry }
  }

  /** The line with its time and its run, without secrets. */
  #jsonOf({ type, level = 'info', ...rest }: MessageLine) {
    const time = new Date(this.#host.now()).toISOString()
    return jsonText(
      this.redactor.redactDocument({ type, time, level, ...this.#run, ...rest }),
    )
  }

  /**
   * Makes a text printable, and hides secrets. Line breaks stay only for `lines`: otherwise they are other people's, and
   * must not start a line that looks like svc's own.
   */
  #clean(text: string, newlines?: 'lines') {
    return this.redactor.redactText(safe(text, { newlines }))
  }

  /** Writes a line that is already redacted. */
  #print(text: string) {
    if (this.#divert !== undefined) {
      this.#divert(text)
      return
    }
    const isPainted = this.color && this.#host.isTerminal.stderr
    const line = isPainted ? paintFirstWord(text) : text
    this.#put(`${line}\n`)
  }

  #put(text: string) {
    const rest = this.#host.writeAtOnce?.(text, 'stderr') ?? text
    if (rest.length > 0) this.#host.stderr.write(rest)
  }
}

function paintFirstWord(text: string) {
  return text.replace(/^(?:error|warning):/, (word) => {
    const color = word === 'error:' ? '1;31' : '33'
    return `\u001b[${color}m${word}\u001b[0m`
  })
}

/** The HTTP status and the service's code, unless the message has them: support asks for them. */
function numbersOf({ message, details: { httpStatus = 0, code } }: SvcError) {
  const numbers = [
    // The 2xx status of an answer that could not be read does not explain the error.
    httpStatus >= 300 ? `HTTP ${httpStatus}` : '',
    code === undefined ? '' : `code ${code}`,
  ].filter((number) => number !== '' && !message.includes(number))
  return numbers.length === 0 ? '' : ` (${numbers.join(', ')})`
}

/** Indents the lines below the first one, so that they look like one message. */
export function indentLines(text: string): string {
  return text.replace(/\n(?! )/g, '\n  ')
}

/** The same, also for lines that are indented already. */
function indentAll(text: string) {
  return text.replaceAll('\n', '\n  ')
}

/** Stands for a space at which no line is broken. Text that passed `safe` never has it. */
const heldSpace = '\0'

/** A text in which no line is broken. */
export function hold(text: string): string {
  return text.replaceAll(' ', heldSpace)
}

const commandLine = /^ {2,}(?=(?:svc|npx|chmod) ).*/gm
const optionWithValue = /--[a-z][\w-]* (?:'[^'\n]*'|"[^"\n]*"|\S+)/g

/**
 * Lines of messages in the width of a terminal: broken at spaces, but never within a word, a command or an option with its
 * value. Breaks lines that are wider; undefined: none. What is left of a line is indented by two more spaces.
 */
export function wrap(text: string, width: number | undefined): string {
  if (width === undefined) return text.replaceAll(heldSpace, ' ')
  const kept = text.replace(commandLine, hold).replace(optionWithValue, hold)
  const lines = kept.split('\n').map((line) => wrapLine(line, width))
  return lines.join('\n').replaceAll(heldSpace, ' ')
}

function wrapLine(line: string, width: number) {
  if (cellsOf(line) <= width) return line
  const [indent = ''] = /^ */.exec(line) ?? []
  const [first = '', ...words] = line.slice(indent.length).split(' ')
  let wrapped = indent + first
  let taken = cellsOf(wrapped)
  for (const word of words) {
    const needed = cellsOf(word)
    const hasRoom = taken + 1 + needed <= width
    wrapped += hasRoom ? ` ${word}` : `\n${indent}  ${word}`
    taken = needed + (hasRoom ? taken + 1 : indent.length + 2)
  }
  return wrapped
}

/** Characters of East Asian scripts, which take two terminal cells. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g

/** About how many terminal cells a text takes. The exact measure is loaded only for tables. */
function cellsOf(text: string) {
  return text.replace(/\p{M}/gu, '').length + (text.match(wide)?.length ?? 0)
}
