/** Writes notes, warnings, errors and the log of requests to stderr. All of them pass the redactor here, which hides secrets. */
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import { type Redactor, safe } from '../safe-text.ts'
import { paint, shellWord } from '../words.ts'

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
  readonly #host: Host
  readonly #style: MessageStyle
  /** Writes the lines while a progress bar is drawn. */
  #divert: ((line: string) => void) | undefined

  constructor(host: Host, redactor: Redactor, style: MessageStyle = {}) {
    this.#host = host
    this.redactor = redactor
    this.#style = style
  }

  note(message: string) {
    this.#message('note', message)
  }

  warn(message: string) {
    this.#message('warning', message)
  }

  /** Returns a text with the typed profile after each command, which is a line that begins with `svc`. */
  withProfile(text: string) {
    const { profile } = this.#style
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
    const texts = [`error: ${this.#clean(headline)}${statusSuffix(error)}`]
    texts.push(...lines.map((line) => this.#clean(line)))
    if (hint !== undefined) texts.push(...this.#linesOf(hint))
    this.#printLines(texts.join('\n  '))
  }

  /** Passes all further lines to `write`. Without it, lines go to stderr again. */
  divertTo(write: ((line: string) => void) | undefined) {
    this.#divert = write
  }

  #message(word: 'note' | 'warning', message: string) {
    if (this.quiet) return
    // Lines below the first are indented, unless they are already.
    const text = this.#linesOf(message)
      .join('\n')
      .replace(/\n(?! )/g, '\n  ')
    this.#printLines(`${word}: ${text}`)
  }

  /** Returns the lines of a message as safe text, with commands that can be typed. What others wrote in them was made safe by the caller. */
  #linesOf(message: string) {
    const lines = this.withProfile(message).split('\n')
    return lines.map((line) => this.#clean(line))
  }

  /**
   * Makes a text safe, and hides secrets. A line break becomes visible, so that no text of others can begin a line that looks like
   * one of svc.
   */
  #clean(text: string) {
    return this.redactor.hide(safe(text))
  }

  /** Writes clean lines, wrapped where somebody reads them on a terminal. */
  #printLines(text: string) {
    const width = this.#style.width?.()
    this.#print(width === undefined ? text : wrapLines(text, width))
  }

  /** Writes a clean text and a line break. */
  #print(text: string) {
    if (this.#divert !== undefined) return this.#divert(text)
    const painted = text.replace(/^(?:error|warning):/, (word) =>
      paint(word, word === 'error:' ? 'red' : 'yellow'),
    )
    const line = `${this.#style.color === true ? painted : text}\n`
    // Opening the stream takes time, so it gets only what could not be written at once.
    const rest = this.#host.writeAtOnce?.(line, 'stderr') ?? line
    if (rest.length > 0) this.#host.stderr.write(rest)
  }
}

/**
 * A command to type, without what follows `--`, which another command reads. Skips commands with -p, and those of
 * profiles and sandbox, which take none.
 */
const commandLine = /^ *svc (?!profiles |sandbox |(?:.* )?(?:-p|--profile))(?:(?! -- ).)*/gm

/**
 * A character that takes two cells. Other characters count as one, marks too, so that no line is too wide. Every command loads
 * this file, so it measures without the packages of `text.ts`.
 */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/gu

/** Wraps lines between words. They keep their indentation, and those with a command to type stay as they are. */
function wrapLines(text: string, width: number) {
  const cellsOf = (word: string) =>
    Array.from(word).length + (word.match(wide)?.length ?? 0)
  const wrapLine = (line: string, index: number) => {
    // A command to copy stays whole.
    if (/^ *(?:svc|chmod) /.test(line)) return line
    const indentation = index === 0 ? '  ' : (/^ */.exec(line)?.[0] ?? '')
    let taken = 0
    // Each match is a word and the spaces before it.
    return line.replace(/ *[^ ]+/g, (word, start: number) => {
      taken += cellsOf(word)
      if (start === 0 || taken <= width) return word
      const begun = `${indentation}${word.trimStart()}`
      taken = cellsOf(begun)
      return `\n${begun}`
    })
  }
  return text.split('\n').map(wrapLine).join('\n')
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
