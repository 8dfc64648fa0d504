/** Everything on stderr: notes, warnings, errors, `-v` lines, the summary of a streamed bulk run. */
import type { SvcError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Redactor } from './redact.ts'
import { jsonText, safe } from './safe.ts'

export type MessageFormat = 'text' | 'json'

export interface Messages {
  format: MessageFormat
  quiet: boolean
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

export function createMessages(host: Pick<Host, 'stderr'>, redactor: Redactor, format: MessageFormat): Messages {
  let divert: ((line: string) => void) | undefined
  let deaf = false
  host.stderr.on('error', () => {
    // Nobody reads stderr any more; there is no third place to say so.
    deaf = true
  })

  function line(text: string): void {
    if (deaf) return
    const clean = redactor.apply(text)
    if (divert !== undefined) divert(clean)
    else host.stderr.write(`${clean}\n`)
  }

  function message(this: Messages, type: 'note' | 'warning', text: string): void {
    if (this.quiet) return
    if (this.format === 'json')
      line(jsonText(type === 'note' ? { type, message: text } : { type: 'note', level: 'warning', message: text }))
    else line(`${type}: ${safe(indented(text), { newlines: 'keep' })}`)
  }

  return {
    format,
    quiet: false,
    verbose: 0,
    note(text) {
      message.call(this, 'note', text)
    },
    warn(text) {
      message.call(this, 'warning', text)
    },
    log(level, text) {
      if (this.quiet || this.verbose < level) return
      line(
        this.format === 'json'
          ? jsonText({ type: 'note', level: 'debug', message: text })
          : safe(text, { newlines: 'keep' }),
      )
    },
    error(error, stack) {
      line(this.format === 'json' ? jsonText(errorDocument(error)) : errorText(error))
      if (stack !== undefined && this.format === 'text') line(safe(stack, { newlines: 'keep' }))
    },
    summary(document) {
      line(jsonText({ type: 'summary', ...(document as Record<string, unknown>) }))
    },
    through(write) {
      divert = write
    },
  }
}

/** Text may hold what the service or a person wrote: a line end in it must not begin what looks like a message of ours. */
function indented(text: string): string {
  return text.replace(/\n(?! )/g, '\n  ')
}

function errorText(error: SvcError): string {
  const { httpStatus, code, hint } = error.details
  const numbers = [
    ...(httpStatus !== undefined && httpStatus >= 300 ? [`HTTP ${httpStatus}`] : []),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].filter((number) => !error.message.includes(number))
  const lines = [`error: ${indented(error.message)}${numbers.length === 0 ? '' : ` (${numbers.join(', ')})`}`]
  if (hint !== undefined) lines.push(...hint.split('\n').map((part) => `  ${part}`))
  return safe(lines.join('\n'), { newlines: 'keep' })
}

/** Surface, section 7. */
function errorDocument(error: SvcError): unknown {
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
