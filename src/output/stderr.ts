/**
 * Everything on stderr: notes, warnings, errors, requests and progress, as text. Everything passes the redactor here, so that
 * no message can carry a secret. Long lines are broken at spaces, but never within a command that can be copied.
 */
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { partsOf, say, textOf, type Message, type ShownCommand } from '../message.ts'
import type { Redactor } from '../redactor.ts'
import { safe } from '../safe-text.ts'

type MessageHost = Pick<Host, 'stderr' | 'isTerminal' | 'columns' | 'writeAtOnce'>

interface MessageStyle {
  /** Whether the words that begin an error or a warning have a color. */
  color?: boolean
  /** A command as it can be typed here. */
  write?: (command: ShownCommand) => string
}

/** The one writer of stderr in a process. It is made before the command line is read. */
export class Messages {
  quiet = false
  /** `-v`: requests are shown. */
  verbose = false
  /** Knows the secrets that were read. */
  readonly redactor: Redactor
  readonly #host: MessageHost
  readonly #color: boolean
  readonly #writeCommand: (command: ShownCommand) => string
  /** Gets the lines instead of stderr, while a bar is drawn. */
  #divert: ((line: string) => void) | undefined

  constructor(
    host: MessageHost,
    redactor: Redactor,
    { color = false, write = ({ text }) => `svc ${text}` }: MessageStyle = {},
  ) {
    this.#host = host
    this.redactor = redactor
    this.#color = color
    this.#writeCommand = write
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

  /** A line of `-v`. */
  log(text: string) {
    if (this.verbose) this.#print(this.#clean(text))
  }

  error(error: SvcError) {
    const { headline, details } = error
    const { lines = [], hint } = details
    const first = `error: ${this.#clean(headline)}${numbersOf(error)}`
    const others = lines.map((line) => `\n  ${this.#clean(line)}`)
    const advice = hint === undefined ? '' : this.#layOut(say`\n${hint}`, indentAll)
    this.#print(this.#wrap(first + others.join('') + advice))
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
    this.#print(this.#wrap(this.#layOut(say`${word}: ${message}`, indentLines)))
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

  /**
   * Makes a text printable, and hides secrets. Line breaks stay only for `lines`: otherwise they are other people's, and
   * must not start a line that looks like svc's own.
   */
  #clean(text: string, newlines?: 'lines') {
    return this.redactor.hide(safe(text, { newlines }))
  }

  /** Writes a line that is already redacted. */
  #print(text: string) {
    if (this.#divert !== undefined) {
      this.#divert(text)
      return
    }
    const line = `${this.#color ? paintFirstWord(text) : text}\n`
    const rest = this.#host.writeAtOnce?.(line, 'stderr') ?? line
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
