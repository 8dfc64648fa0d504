/** Writes notes, warnings, errors and the log of requests to stderr. All of them pass the redactor here, which hides secrets. */
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { type Redactor, safe } from '../safe-text.ts'
import { shellWord } from '../words.ts'

type MessageHost = Pick<Host, 'stderr' | 'writeAtOnce'>

interface MessageStyle {
  /** Whether the word that begins an error or a warning has a color. */
  color?: boolean
  /** Returns the width at which messages wrap; undefined where they do not. */
  width?: () => number | undefined
  /** The profile that was typed, which commands to type get as well. */
  profile?: string | undefined
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
  readonly #profile: string | undefined
  /** Writes the lines while a progress bar is drawn. */
  #divert: ((line: string) => void) | undefined

  constructor(
    host: MessageHost,
    redactor: Redactor,
    { color = false, width = () => undefined, profile }: MessageStyle = {},
  ) {
    this.#host = host
    this.redactor = redactor
    this.#color = color
    this.#width = width
    this.#profile = profile
  }

  note(message: string) {
    this.#message('note', message)
  }

  warn(message: string) {
    this.#message('warning', message)
  }

  /** Returns a text with the typed profile behind each command, which is a line that begins with `svc`. */
  withProfile(text: string) {
    const profile = this.#profile
    if (profile === undefined) return text
    return text.replace(commandLine, (command) => `${command} -p ${shellWord(profile)}`)
  }

  /** Writes a line if `-v` was typed. */
  log(text: string) {
    if (this.verbose) this.#print(this.#clean(text))
  }

  error(error: SvcError) {
    const { headline, details } = error
    const { lines = [], hint } = details
    let text = `error: ${this.#clean(headline)}${statusSuffix(error)}`
    for (const line of lines) text += `\n  ${this.#clean(line)}`
    if (hint !== undefined) text += `\n${this.#printable(hint)}`.replaceAll('\n', '\n  ')
    this.#printMessage(text)
  }

  /** Passes all further lines to `write`. Without it, lines go to stderr again. */
  divertTo(write: ((line: string) => void) | undefined) {
    this.#divert = write
  }

  #message(word: 'note' | 'warning', message: string) {
    if (this.quiet) return
    // Lines below the first are indented, unless they are already.
    const text = this.#printable(message).replace(/\n(?! )/g, '\n  ')
    this.#printMessage(`${word}: ${text}`)
  }

  /** Returns a message as safe text, with commands that can be typed. */
  #printable(message: string) {
    return this.#clean(this.withProfile(message), 'lines')
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
    this.#print(width === undefined ? text : wrapMessage(text, width))
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

/**
 * A command to type, without what is behind `--`, which another command reads. Not one that has a profile already, or that is
 * about profiles and has it as an argument.
 */
const commandLine = /^ *svc (?!profiles |.* (?:-p|--profile))(?:(?! -- ).)*/gm

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
