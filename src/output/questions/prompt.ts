/**
 * Questions, asked by @inquirer on the terminal itself, which is there when stdin and stdout are pipes:
 * confirmations of a change, and the secret of `profiles add`. A question without an answer ends the command
 * with exit 2 before anything is done.
 */
import { on } from 'node:events'
import type { ReadStream } from 'node:tty'
import { SvcError } from '../../errors.ts'
import type { Terminal } from '../../world.ts'
import { indentLines } from '../stderr.ts'
import { safe, shorten } from '../../safe-text.ts'
import { truncate, wrap } from '../text/width.ts'

/** A confirmation: yes or no, with No when nothing is typed, or a word or number that must be typed. */
export type Question = {
  message: string
  /** Texts above it, for a terminal with so many columns. */
  about?: (columns: number) => Promise<readonly string[]>
} & (
  | { kind: 'yes-no' }
  /** A number may be typed with grouping commas. */
  | { kind: 'typed'; expected: string }
)

/** True when the answer is yes, or what was expected. Throws exit 2 for another text and at the end of input, 130 on Ctrl-C. */
export async function ask(
  question: Question,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<boolean> {
  const introduction = (await question.about?.(terminal.columns)) ?? []
  for (const text of introduction) {
    terminal.output.write(`${safe(indentLines(text), { newlines: 'keep' })}\n`)
  }
  const { message } = question
  if (question.kind === 'yes-no') return askYesOrNo(message, terminal, signal)
  const { expected } = question
  const words = `${message} Type ${expected}:`
  const typed = await askText(words, terminal, signal)
  if (withoutCommas(typed) === withoutCommas(expected)) return true
  const wrong = `you typed "${shorten(typed.trim())}" instead of ${expected}`
  throw new SvcError('confirm', `${wrong}; nothing was sent`)
}

function withoutCommas(text: string) {
  return text.trim().replaceAll(',', '')
}

async function askYesOrNo(message: string, terminal: Terminal, signal?: AbortSignal) {
  if (terminal.isPlain === true)
    return /^y(?:es)?$/i.test(
      (await askPlainly(`${message} (y/N)`, terminal, signal)).trim(),
    )
  const { default: confirm } = await import('@inquirer/confirm')
  const style = {
    ...theme.style,
    // The choice stays in the question when it is answered.
    message: (text: string, status: string) => (status === 'done' ? `${text} (y/N)` : text),
  }
  const keywords = { yes: 'yes', no: 'no', error: () => 'answer y or n' }
  const config = {
    message: layOutQuestion(message, terminal),
    default: false,
    transformer: (isYes: boolean) => (isYes ? 'y' : 'n'),
    theme: { ...theme, style, keywords },
  }
  return answer(terminal, signal, (context) => confirm(config, context))
}

/**
 * Asks for a line of text, and returns it as it was typed. Of a hidden one nothing is shown. Throws exit 2 at the end of
 * input, 130 on Ctrl-C.
 */
export async function askText(
  question: string,
  terminal: Terminal,
  signal?: AbortSignal,
  isHidden = false,
): Promise<string> {
  if (terminal.isPlain === true) return askPlainly(question, terminal, signal, isHidden)
  const message = layOutQuestion(question, terminal)
  if (!isHidden) {
    const { default: input } = await import('@inquirer/input')
    return answer(terminal, signal, (context) => input({ message, theme }, context))
  }
  const { default: password } = await import('@inquirer/password')
  const style = { ...theme.style, maskedText: '(not shown)' }
  const config = { message, toggleMask: false, theme: { ...theme, style } }
  return answer(terminal, signal, (context) => password(config, context))
}

/** Asks a terminal on which nothing can be drawn. Throws as `askText` does. */
async function askPlainly(
  question: string,
  terminal: Terminal,
  signal?: AbortSignal,
  isHidden = false,
): Promise<string> {
  const input = terminal.input as ReadStream
  const { output } = terminal
  output.write(`? ${layOutQuestion(question, terminal)} `)
  input.setEncoding('utf8')
  // Then nothing that is typed is shown, and each key arrives alone.
  if (isHidden) input.setRawMode(true)
  let typed = ''
  try {
    for await (const [keys] of on(input, 'data', { signal, close: ['end'] })) {
      typed += String(keys)
      // oxlint-disable-next-line no-control-regex -- Enter, Ctrl-C and Ctrl-D
      const end = /[\r\n\u0003\u0004]/.exec(typed)
      if (end?.[0] === '\u0003') throw interrupted()
      if (end?.[0] === '\u0004') break
      if (end !== null) return typed.slice(0, end.index).replaceAll(/.?[\b\u007f]/gsu, '')
    }
    throw inputEnded()
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error
  } finally {
    if (isHidden) {
      input.setRawMode(false)
      output.write('\n')
    }
  }
}

function interrupted() {
  return new SvcError('interrupted', 'interrupted; nothing was sent', { exitCode: 130 })
}

function inputEnded() {
  const words = 'the input ended before the question was answered; nothing was done'
  return new SvcError('confirm', words)
}

/** More than a terminal can show. */
const longestQuestion = 1 << 14

/** A long question is wrapped between words, with room for the mark before it and the answer after it. */
export function layOutQuestion(message: string, { columns }: Pick<Terminal, 'columns'>) {
  const text = safe(message.slice(0, longestQuestion))
  return wrap(text, Math.max(20, columns - 12)).join('\n  ')
}

const same = (text: string) => text

/** Without color: the terminal that is asked on need not be the one whose colors were decided. */
const theme = {
  prefix: '?',
  icon: { cursor: '>' },
  style: {
    answer: same,
    message: same,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: same,
    highlight: same,
    searchTerm: same,
    key: (text: string) => `<${text}>`,
    keysHelpTip: () => 'type to search, Enter to choose',
  },
}

/** The streams and the signal with which a prompt of the package is run. */
interface PromptContext {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  signal: AbortSignal
}

/** Runs a prompt on the terminal, whose output it ends; its ways of ending without an answer become errors of ours. */
async function answer<T>(
  { input, output }: Terminal,
  signal: AbortSignal | undefined,
  run: (context: PromptContext) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  // At the end of the input and on Ctrl-D the line reader pauses its input; a prompt would then wait forever.
  const end = () => ended.abort(inputEnded())
  const stopped =
    signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal])
  input.once('pause', end)
  try {
    return await run({ input, output, signal: stopped })
  } catch (error) {
    // An interrupted prompt has also paused its input by then. The name of the error shows which came first.
    const name = error instanceof Error ? error.name : ''
    if (name === 'ExitPromptError') throw interrupted()
    throw name === 'AbortPromptError' ? stopped.reason : error
  } finally {
    input.off('pause', end)
  }
}

/** One of several things to choose from. Its words may be anybody's. */
export interface Choice {
  value: string
  name: string
  /** Text that distinguishes it from others of the same name. */
  detail: string
}

/** How many units of a choice are read: more than a terminal can show. */
const longestChoice = 1 << 14

/** Returns the value of the choice. Throws exit 2 at the end of input, 130 on Ctrl-C. */
export async function askChoice(
  message: string,
  choices: readonly Choice[],
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { default: search } = await import('@inquirer/search')
  // Ids differ in their last digits.
  const lineOf = ({ name, detail }: Choice) =>
    safe(`${name}  ${detail}`.slice(0, longestChoice)).replaceAll(
      /\b[0-9a-f]{18}([0-9a-f]{6})\b/gi,
      '…$1',
    )
  const source = (term = '') => {
    const words = term.trim().toLowerCase().split(/\s+/)
    const isFound = ({ value, name }: Choice) =>
      words.every((word) => `${value} ${name}`.toLowerCase().includes(word))
    return choices.filter(isFound).map((choice) => ({
      value: choice.value,
      name: truncate(lineOf(choice), Math.max(20, terminal.columns - 4)),
      short: safe(choice.name.slice(0, longestChoice)),
    }))
  }
  return answer(terminal, signal, (context) =>
    search(
      { message: layOutQuestion(message, terminal), source, pageSize: 10, theme },
      context,
    ),
  )
}
