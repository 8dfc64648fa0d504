/**
 * Asks the questions of a command: confirmations and texts. @inquirer asks them on the terminal itself, which also works
 * if stdin and stdout are pipes. Without an answer, nothing is sent.
 */
import { messageOf, SvcError, usageError } from '../errors.ts'
import { type Host, hasEscapes, type Terminal } from '../host.ts'
import { safe, shorten } from '../safe-text.ts'
import { wrap } from './text.ts'

interface QuestionOptions {
  host: Host
  /** True with `--yes`. */
  yes: boolean | undefined
  /** False with `--no-input`. */
  input: boolean | undefined
  signal: AbortSignal
}

/** Runs a prompt of @inquirer on the streams of `context`, until the signal is aborted. */
type Prompt<T> = (
  config: { message: string; theme: typeof theme },
  context: Pick<Terminal, 'input' | 'output'> & { signal: AbortSignal },
) => Promise<T>

export class Questions {
  readonly #options: QuestionOptions

  constructor(options: QuestionOptions) {
    this.#options = options
  }

  /**
   * Asks a question whose answer is y or N, with the lines `about` it above. With `expected`, a number must be typed in place of y,
   * whose commas may be left out. Returns only if the answer is yes. Throws an error with exit code 2 if the answer is no, or if
   * nobody can be asked.
   */
  async confirm({
    message,
    expected,
    about,
  }: {
    message: string
    expected?: string | undefined
    about?: string | undefined
  }): Promise<void> {
    if (this.#options.yes === true) return
    const { default: prompt } = await import('@inquirer/confirm')
    const answer =
      expected === undefined
        ? await this.#ask(
            message,
            (config, context) => prompt({ ...config, default: false }, context),
            about,
          )
        : await this.text(`${message} Type ${expected}:`)
    if (answer === undefined)
      throw new SvcError('confirm', `confirmation needed: ${message}`, {
        hint: 'nothing was sent: svc cannot ask without a terminal or with --no-input; to answer yes, add --yes',
      })
    if (answer === false) throw new SvcError('confirm', 'declined; nothing was changed')
    if (answer === true || withoutCommas(answer) === withoutCommas(expected)) return
    const problem = `you typed "${shorten(answer)}" instead of ${expected}`
    throw new SvcError('confirm', `${problem}; nothing was sent`)
  }

  /**
   * Asks for a text until `check` accepts it, and returns the text. Returns undefined if nobody can be asked. A hidden text is
   * asked for once: if `check` refuses it, throws a usage error.
   */
  async text(
    message: string,
    check: (text: string, name: string) => unknown = () => undefined,
    isHidden = false,
  ): Promise<string | undefined> {
    const { default: prompt } = isHidden
      ? await import('@inquirer/password')
      : await import('@inquirer/input')
    const problemOf = (text: string) => {
      try {
        // A pasted text may end in an invisible space.
        check(text.trim(), 'it')
        return undefined
      } catch (error) {
        return messageOf(error)
      }
    }
    // A hidden text is checked after the prompt: nobody could see it to correct it.
    const validate = (text: string) => isHidden || (problemOf(text) ?? true)
    const typed = await this.#ask(message, (config, context) =>
      prompt({ ...config, validate, toggleMask: false }, context),
    )
    const problem = typed === undefined ? undefined : problemOf(typed)
    if (problem !== undefined) throw usageError(`${message} ${problem}`)
    return typed?.trim()
  }

  /**
   * Runs a prompt on the terminal, and returns the answer. Returns undefined if nobody can be asked. Throws an error with exit
   * code 2 at the end of the input, an error with 130 on Ctrl-C, and the reason of the signal after an abort.
   */
  async #ask<T>(message: string, run: Prompt<T>, about?: string): Promise<T | undefined> {
    const { host, input: mayAsk } = this.#options
    // A prompt redraws its lines, which needs escape sequences.
    const terminal = mayAsk !== false && hasEscapes(host) ? host.terminal() : undefined
    if (terminal === undefined) return undefined
    const { input, output, columns } = terminal
    // Leaves 12 cells for the mark before the question and the answer after it.
    const lines = wrap(safe(message), Math.max(20, columns - 12))
    const ended = new AbortController()
    // At the end of the input and on Ctrl-D, the line reader pauses the input. The prompt would then wait forever.
    const problem = 'the input ended before the question was answered; nothing was sent'
    const end = () => ended.abort(new SvcError('confirm', problem))
    const signal = AbortSignal.any([ended.signal, this.#options.signal])
    input.once('pause', end)
    try {
      if (about !== undefined) output.write(`${safe(about, 'lines')}\n`)
      const config = { message: lines.join('\n  '), theme }
      return await run(config, { input, output, signal })
    } catch (error) {
      // Ctrl-C also pauses the input. The name tells: ExitPromptError is Ctrl-C, AbortPromptError an abort.
      const name = error instanceof Error ? error.name : ''
      if (name === 'ExitPromptError')
        throw new SvcError('interrupted', 'interrupted; nothing was sent', {
          exitCode: 130,
        })
      throw name === 'AbortPromptError' ? signal.reason : error
    } finally {
      input.off('pause', end)
      terminal.close()
    }
  }
}

function withoutCommas(text = '') {
  return text.replaceAll(',', '')
}

const plain = (text: string) => text

/** How prompts look. They have no colors: svc decided about colors for stderr, which may be another terminal. */
const theme = {
  prefix: '?',
  icon: { cursor: '>' },
  style: {
    answer: plain,
    message: plain,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: plain,
    highlight: plain,
  },
}
