/** Everything on stderr: notes, warnings, errors, `-v` lines, the summary of a streamed bulk run. */
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Redactor } from './redact.ts'
import { jsonText } from './json.ts'
import { safe, cells, wrap } from './text.ts'

export type MessageFormat = 'text' | 'json'

export interface Messages {
  format: MessageFormat
  color: boolean
  quiet: boolean
  /** Unpaired surrogates in JSON as they came. */
  jsonRaw: boolean
  /** 0, 1 (`-v`) or 2 (`-vv`). */
  verbose: number
  /** A line about how things went; not with `-q`. */
  note(text: string): void
  warn(text: string): void
  log(level: 1 | 2, line: string): void
  error(error: SvcError, stack: string | undefined): void
  /** The summary document, when stdout carries receipts. `-q` keeps it. */
  summary(document: unknown): void
  /** While a bar is drawn, lines go through it: it clears itself, writes the line, draws itself again. */
  through(write: ((line: string) => void) | undefined): void
}

/** `color`: whether the words that begin an error or a warning may have one, on a terminal. */
export function createMessages(
  host: Pick<Host, 'stderr' | 'isTerminal' | 'columns'>,
  redactor: Redactor,
  format: MessageFormat,
  color = false,
): Messages {
  let divert: ((line: string) => void) | undefined
  let deaf = false
  host.stderr.on('error', () => {
    // Nobody reads stderr any more; there is no third place to say so.
    deaf = true
  })

  /**
   * Writes what is redacted already. `foreign`: how many lines from the first on may hold others' words; undefined for what
   * a log or a program wants as it is, which is not laid out.
   */
  function line(text: string, foreign?: number): void {
    if (deaf) return
    const width = host.isTerminal.stderr && foreign !== undefined ? host.columns() : undefined
    const laid = width === undefined ? text : laidOut(text, width - 1, foreign ?? 0)
    if (divert !== undefined) divert(laid)
    else host.stderr.write(`${messages.color && host.isTerminal.stderr ? painted(laid) : laid}\n`)
  }

  /** Text with others' words in it, made safe. */
  const clean = (text: string): string => redactor.apply(safe(text, { newlines: 'keep' }))

  function document(value: Readonly<Record<string, unknown>>): void {
    line(jsonText(redactor.applyTo(value), { raw: messages.jsonRaw }))
  }

  function message(this: Messages, type: 'note' | 'warning', text: string): void {
    if (this.quiet) return
    if (this.format === 'json')
      document(type === 'note' ? { type, message: text } : { type: 'note', level: 'warning', message: text })
    else line(`${type}: ${clean(indented(text))}`, type === 'note' ? 0 : Infinity)
  }

  const messages: Messages = {
    format,
    color,
    quiet: false,
    jsonRaw: false,
    verbose: 0,
    note(text) {
      message.call(this, 'note', text)
    },
    warn(text) {
      message.call(this, 'warning', text)
    },
    log(level, text) {
      if (this.quiet || this.verbose < level) return
      if (this.format === 'json') document({ type: 'note', level: 'debug', message: text })
      else line(clean(text))
    },
    error(error, stack) {
      if (this.format === 'json') document(errorDocument(error))
      else line(errorText(error, clean), error.message.split('\n').length)
      if (stack !== undefined && this.format === 'text') line(clean(stack))
    },
    summary(summary) {
      document({ type: 'summary', ...(summary as Record<string, unknown>) })
    },
    through(write) {
      divert = write
    },
  }
  return messages
}

/**
 * Lines wrapped at blanks, what goes on indented. A command of ours that does not fit gets a line of its own, whole; what
 * looks like one among others' words does not.
 */
function laidOut(text: string, width: number, foreign: number): string {
  return text
    .split('\n')
    .flatMap((line, at) => (cells(line) <= width ? [line] : laidOutLine(line, width, at < foreign)))
    .join('\n')
}

function laidOutLine(line: string, width: number, isForeign: boolean): string[] {
  const indent = /^ */.exec(line)?.[0] ?? ''
  if (!isForeign && /^ *(?:svc |--)/.test(line)) return [line]
  // What others wrote stands in quotes or brackets in words of ours.
  const command = isForeign ? null : /^([^"()]*[:;,]) (svc .*)$/.exec(line)
  const [words = '', ...rest] = command === null ? [line] : command.slice(1)
  const first = wrap(words, width)[0] ?? ''
  const more = words.slice(first.length).trimStart()
  const hanging = `${indent}  `
  return [
    first,
    ...(more === '' ? [] : wrap(more, width - hanging.length).map((part) => hanging + part)),
    ...rest.map((part) => hanging + part),
  ]
}

function painted(text: string): string {
  return text.replace(/^(?:error|warning):/, (word) => `\u001b[${word === 'error:' ? '1;31' : '33'}m${word}\u001b[0m`)
}

/** Text may hold what the service or a person wrote: a line end in it must not begin what looks like a message of ours. */
function indented(text: string): string {
  return text.replace(/\n(?! )/g, '\n  ')
}

function errorText(error: SvcError, clean: (text: string) => string): string {
  const { httpStatus, code, hint } = error.details
  const numbers = [
    ...(httpStatus !== undefined && httpStatus >= 300 ? [`HTTP ${httpStatus}`] : []),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].filter((number) => !error.message.includes(number))
  const lines = [`error: ${clean(indented(error.message))}${numbers.length === 0 ? '' : ` (${numbers.join(', ')})`}`]
  if (hint !== undefined)
    lines.push(
      ...clean(hint)
        .split('\n')
        .map((part) => `  ${part}`),
    )
  return lines.join('\n')
}

function errorDocument(error: SvcError): Readonly<Record<string, unknown>> {
  const { httpStatus, code, hint, request, profile, run, cursor } = error.details
  return {
    type: 'error',
    error: {
      category: error.category,
      exitCode: error.exitCode,
      httpStatus: httpStatus ?? null,
      code: code ?? null,
      message: error.message,
      hint: hint ?? null,
      request: request ?? null,
      profile: profile ?? null,
      run: run ?? null,
      ...(cursor === undefined ? {} : { cursor }),
    },
  }
}
