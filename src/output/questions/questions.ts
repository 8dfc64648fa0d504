/**
 * The questions of one command: confirmations, which `--yes` answers, and choices and texts in place of what was not typed.
 * Each method says when nobody is asked.
 */
import { SvcError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { hasEscapes, type Terminal } from '../../world.ts'
import type { Format } from '../format.ts'
import type { Choice, Question } from './prompt.ts'

interface QuestionOptions {
  host: Pick<Host, 'terminal' | 'isTerminal' | 'env' | 'platform'>
  /** `--yes`. */
  yes: boolean | undefined
  /** False with `--no-input`. */
  input: boolean | undefined
  format: Format
  signal: AbortSignal
}

export class Questions {
  readonly #options: QuestionOptions

  constructor(options: QuestionOptions) {
    this.#options = options
  }

  /** Returns when the answer is yes; throws exit 2 when it is no, or when nobody can be asked. */
  async confirm(question: Question): Promise<void> {
    const { yes, signal } = this.#options
    if (yes === true) return
    const { ask } = await import('./prompt.ts')
    const answer = await this.#onTerminal((terminal) => ask(question, terminal, signal))
    if (answer === undefined) {
      throw new SvcError('confirm', `confirmation needed: ${question.message}`, {
        hint: 'nothing was sent: svc cannot ask without a terminal or with --no-input; to answer yes, add --yes',
      })
    }
    if (!answer) throw new SvcError('confirm', 'declined; nothing was sent')
  }

  /**
   * Asks for what was not typed. Returns undefined if there are no choices, no terminal that a person watches, --no-input,
   * or another format than a table.
   */
  async choose(
    message: string,
    choices: () => Promise<readonly Choice[]>,
  ): Promise<string | undefined> {
    const { host, input, format, signal } = this.#options
    const isWatched = host.isTerminal.stdin && host.isTerminal.stderr && format === 'table'
    // A list is drawn again with each letter.
    if (!isWatched || input === false || !hasEscapes(host)) return undefined
    const all = await choices()
    if (all.length === 0) return undefined
    const { askChoice } = await import('./prompt.ts')
    return this.#onTerminal((terminal) => askChoice(message, all, terminal, signal))
  }

  /** Asks for a text, until `problemOf` finds nothing wrong with it. Undefined when nobody can be asked. */
  async text(
    message: string,
    problemOf: (text: string) => string | undefined,
    isHidden = false,
  ): Promise<string | undefined> {
    const { askText } = await import('./prompt.ts')
    const { signal } = this.#options
    // Asked anew each time, and not edited: a hidden answer cannot be seen.
    for (let problem: string | undefined; ;) {
      const typed = await this.#onTerminal((terminal) => {
        if (problem !== undefined) terminal.output.write(`> ${problem}\n`)
        return askText(message, terminal, signal, isHidden)
      })
      if (typed === undefined) return undefined
      // A pasted text may end in a space, which is invisible.
      problem = problemOf(typed.trim())
      if (problem === undefined) return typed.trim()
    }
  }

  async #onTerminal<T>(work: (terminal: Terminal) => Promise<T>): Promise<T | undefined> {
    const { host, input } = this.#options
    const terminal = input === false ? undefined : host.terminal()
    return terminal && work(terminal).finally(() => terminal.close())
  }
}
