/** Writes notes, warnings, errors and the log of requests to stderr. All of them pass the redactor here, which hides secrets. */
import {
  type SvcError,
  indent,
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
  /** Whether the word that begins an error or a warning has a color. */
  color?: boolean
  /** Returns the width at which messages wrap; undefined where they do not. */
  width?: () => number | undefined
  /** Returns a command with the profile and folders of this command line, so that it can be typed as shown. */
  commandText?: (command: ShownCommand) => string
}

/** Writes to stderr, for one command line. */
export class Messages {
  /** Whether notes and warnings are left out. */
  quiet = false
  /** Whether `-v` shows requests. */
  verbose = false
  readonly redactor: Redactor
  readonly #host: MessageHost
  readonly #color: boolean
  readonly #width: () => number | undefined
  readonly #commandText: (command: ShownCommand) => string
  /** Writes the lines while a progress bar is drawn. */
  #divert: ((line: string) => void) | undefined

  constructor(
    host: MessageHost,
    redactor: Redactor,
    {
      color = false,
      width = () => undefined,
      commandText = ({ text }) => `svc ${text}`,
    }: MessageStyle = {},
  ) {
    this.#host = host
    this.redactor = redactor
    this.#color = color
    this.#width = width
    this.#commandText = commandText
  }

  note(message: Message) {
    this.#message('note', message)
  }

  warn(message: Message) {
    this.#message('warning', message)
  }

  /** Returns the text of a message, with its commands as they can be typed. */
  readonly textOf = (message: Message | ShownCommand): string =>
    textOf(message, this.#commandText)

  /** Writes a line if `-v` was typed. */
  log(text: string) {
    if (this.verbose) this.#print(this.#clean(text))
  }

  error(error: SvcError) {
    const { headline, details } = error
    const { lines = [], hint } = details
    let text = `error: ${this.#clean(headline)}${statusSuffix(error)}`
    for (const line of lines) text += `\n  ${this.#clean(line)}`
    // The line break lets `indent` reach the first line of the hint, too.
    if (hint !== undefined) text += this.#printable(indent(say`\n${hint}`, '  '))
    this.#printMessage(text)
  }

  /** Passes all further lines to `write`. Without it, lines go to stderr again. */
  divertTo(write: ((line: string) => void) | undefined) {
    this.#divert = write
  }

  #message(word: 'note' | 'warning', message: Message) {
    if (this.quiet) return
    const parts = partsOf(say`${word}: ${message}`).map((part) =>
      typeof part === 'string' ? indentBelow(part) : part,
    )
    this.#printMessage(this.#printable(parts))
  }

  /** Returns a message as safe text. Secrets are hidden in each part by itself, so none is found across two parts. */
  #printable(message: Message) {
    return partsOf(message)
      .map((part) => {
        const text = this.#clean(this.textOf([part]), 'lines')
        return typeof part === 'string' ? text : text.replaceAll(' ', unbreakable)
      })
      .join('')
  }

  /**
   * Makes a text safe, and hides secrets. With `lines`, line breaks stay: only messages of svc are cleaned so, and texts of
   * others in them were made safe before. Without it, a line break becomes visible, so that no text of others can begin a line that
   * looks like one of svc.
   */
  #clean(text: string, newlines?: 'lines') {
    return this.redactor.hide(safe(text, { newlines }))
  }

  /** Writes a clean message, wrapped where somebody reads it on a terminal. */
  #printMessage(text: string) {
    const width = this.#width()
    const lines = width === undefined ? text : wrapMessage(text, width)
    this.#print(lines.replaceAll(unbreakable, ' '))
  }

  /** Writes a clean text and a line break. */
  #print(text: string) {
    if (this.#divert !== undefined) {
      this.#divert(text)
      return
    }
    const line = `${this.#color ? paintFirstWord(text) : text}\n`
    // Opening the stream takes time, so it gets only what could not be written at once.
    const rest = this.#host.writeAtOnce?.(line, 'stderr') ?? line
    if (rest.length > 0) this.#host.stderr.write(rest)
  }
}

/** Stands for a space in a command until the message is wrapped. A clean text does not have it. */
const unbreakable = '\0'

/** A character that takes two cells. Other characters count as one, marks too, so that no line is too wide. */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/gu

/** Wraps a message between words. Lines keep their indentation, and those with a command to type stay as they are. */
function wrapMessage(message: string, width: number) {
  const cellsOf = (text: string) =>
    Array.from(text).length + (text.match(wide)?.length ?? 0)
  const wrapLine = (line: string, index: number) => {
    if (/^ *(?:svc|chmod) /.test(line)) return line
    const indentation = index === 0 ? '  ' : (/^ */.exec(line)?.[0] ?? '')
    let taken = 0
    // Each match is a word and the spaces before it.
    return line.replace(/ *[^ ]+/g, (text, start: number) => {
      taken += cellsOf(text)
      if (start === 0 || taken <= width) return text
      const word = `${indentation}${text.trimStart()}`
      taken = cellsOf(word)
      return `\n${word}`
    })
  }
  return message.split('\n').map(wrapLine).join('\n')
}

function paintFirstWord(text: string) {
  return text.replace(/^(?:error|warning):/, (word) => {
    const color = word === 'error:' ? '1;31' : '33'
    return `\u001b[${color}m${word}\u001b[0m`
  })
}

/** Returns the HTTP status and the service's code in brackets, unless the message has them. The service's support asks for them. */
function statusSuffix({ message, details: { httpStatus = 0, code } }: SvcError) {
  const numbers = [
    // A status below 300 is no reason: the answer could not be read.
    httpStatus >= 300 ? `HTTP ${httpStatus}` : '',
    code === undefined ? '' : `code ${code}`,
  ].filter((number) => number !== '' && !message.includes(number))
  return numbers.length === 0 ? '' : ` (${numbers.join(', ')})`
}

/** Indents the lines below the first, except those that are indented already. */
function indentBelow(text: string) {
  return text.replace(/\n(?! )/g, '\n  ')
}
