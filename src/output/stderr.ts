/**
 * Writes everything on stderr: notes, warnings, errors, requests and progress. All of it passes the redactor here, so that no
 * message contains a secret.
 */
import {
  type SvcError,
  partsOf,
  say,
  textOf,
  type Message,
  type ShownCommand,
} from '../errors.ts'
import type { Host } from '../host.ts'
import { type Redactor, safe } from '../safe-text.ts'

type MessageHost = Pick<Host, 'stderr' | 'writeAtOnce'>

interface MessageStyle {
  /** Whether the words that begin an error or a warning have a color. */
  color?: boolean
  /** Returns a command as it can be typed in place of this one. */
  write?: (command: ShownCommand) => string
}

/** Writes stderr. A process has one, which is made before the command line is read. */
export class Messages {
  quiet = false
  /** Whether `-v` shows requests. */
  verbose = false
  /** Hides the secrets that were read so far. */
  readonly redactor: Redactor
  readonly #host: MessageHost
  readonly #color: boolean
  readonly #writeCommand: (command: ShownCommand) => string
  /** Writes the lines while a bar is drawn; undefined to write them to stderr. */
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

  /** Returns the text of a message, with its commands as they can be typed in place of this one. */
  readonly textOf = (message: Message | ShownCommand): string =>
    textOf(message, this.#writeCommand)

  /** Writes a line if `-v` was typed. */
  log(text: string) {
    if (this.verbose) this.#print(this.#clean(text))
  }

  error(error: SvcError) {
    const { headline, details } = error
    const { lines = [], hint } = details
    let text = `error: ${this.#clean(headline)}`
    text += numbersOf(error)
    for (const line of lines) text += `\n  ${this.#clean(line)}`
    if (hint !== undefined) {
      const below = say`\n${hint}`
      text += this.#layOut(below, indentAll)
    }
    this.#print(text)
  }

  /**
   * Passes all further lines to `write`, which clears a bar first. With undefined, lines go to stderr again.
   */
  divertTo(write: ((line: string) => void) | undefined) {
    this.#divert = write
  }

  #message(word: 'note' | 'warning', message: Message) {
    if (this.quiet) return
    const whole = say`${word}: ${message}`
    this.#print(this.#layOut(whole, indentLines))
  }

  /** Returns the printable text of a message. `indent` indents its lines except the first. */
  #layOut(message: Message, indent: (text: string) => string) {
    const parts = partsOf(message).map((part) => {
      const text = typeof part === 'string' ? indent(part) : this.textOf([part])
      return this.#clean(text, 'lines')
    })
    return parts.join('')
  }

  /**
   * Makes a text printable, and hides secrets. Line breaks remain only for `lines`. In the texts of others, they could start a line
   * that looks like one of svc.
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

/** Returns the HTTP status and the service's code, which support asks for, unless the message has them. */
function numbersOf({ message, details: { httpStatus = 0, code } }: SvcError) {
  const numbers = [
    // A status below 300 does not explain why an answer could not be read.
    httpStatus >= 300 ? `HTTP ${httpStatus}` : '',
    code === undefined ? '' : `code ${code}`,
  ].filter((number) => number !== '' && !message.includes(number))
  return numbers.length === 0 ? '' : ` (${numbers.join(', ')})`
}

/** Indents the lines below the first, so that they look like one message. Lines that are indented already remain as they are. */
export function indentLines(text: string): string {
  return text.replace(/\n(?! )/g, '\n  ')
}

/** Indents all lines below the first, also those that are indented already. */
function indentAll(text: string) {
  return text.replaceAll('\n', '\n  ')
}
