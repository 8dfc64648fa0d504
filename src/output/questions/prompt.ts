/**
 * Questions, written to and read from the terminal itself, which is there when stdin and stdout are pipes: confirmations of a change, and
 * the secret of `profiles add`. A question without an answer ends the command with exit 9 before anything is done. `questions.ts` asks
 * them for a command.
 */
import { Writable } from 'node:stream'
import { SvcError } from '../../errors.ts'
import type { Terminal } from '../../world.ts'
import { indentLines } from '../stderr.ts'
import { safe } from '../../safe-text.ts'
import { truncate, wrap } from '../text/width.ts'

/** A confirmation: yes or no, with No when nothing is typed, or a word or number that must be typed. */
export type Question = {
  /** Texts above it, for a terminal with so many columns. */
  readonly about?: (columns: number) => Promise<readonly string[]>
} &
  /** `isYesUsual`: Enter alone is yes. */
  (
    | { readonly kind: 'yes-no'; readonly message: string; readonly isYesUsual?: true }
    /** It must be typed; a number may be typed with grouping commas. */
    | {
        readonly kind: 'typed'
        readonly message: string
        readonly expected: string
      }
  )

/** True when the answer is yes, or what was expected. Throws exit 9 at the end of input, 130 on Ctrl-C. */
export async function ask(
  question: Question,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<boolean> {
  const introduction = (await question.about?.(terminal.columns)) ?? []
  for (const text of introduction) {
    terminal.output.write(`${safe(indentLines(text), { newlines: 'keep' })}\n`)
  }
  return question.kind === 'yes-no'
    ? askYesOrNo(question, terminal, signal)
    : askTyped(question, terminal, signal)
}

async function askYesOrNo(
  { message, isYesUsual }: Extract<Question, { kind: 'yes-no' }>,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<boolean> {
  const read = (text: string): boolean | undefined => yesOrNo(text, isYesUsual === true)
  const validate = (text: string) =>
    read(text) === undefined ? 'answer y or n' : undefined
  const choice = isYesUsual === true ? '(Y/n)' : '(y/N)'
  const typed = await askText(`${message} ${choice}`, { validate }, terminal, signal)
  return read(typed) === true
}

/** Undefined when it is neither. `isYesUsual`: nothing typed is yes, else no. */
function yesOrNo(typed: string, isYesUsual: boolean): boolean | undefined {
  const answer = typed.trim().toLowerCase() || (isYesUsual ? 'yes' : 'no')
  if ('yes'.startsWith(answer)) return true
  return 'no'.startsWith(answer) ? false : undefined
}

async function askTyped(
  { message, expected }: Extract<Question, { kind: 'typed' }>,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<boolean> {
  const words = /type [^:]*:\s*$/i.test(message) ? message : `${message} Type ${expected}:`
  let wrong = 0
  // An empty answer is a no. A mistyped answer is reported, and can be corrected once.
  const validate = (text: string): string | undefined => {
    const isAnswer = isExpected(text, expected) || text.trim() === ''
    if (isAnswer || wrong > 0) return undefined
    wrong += 1
    return `you typed "${truncate(safe(text.trim()), 40)}"; to confirm, type ${expected}`
  }
  return isExpected(await askText(words, { validate }, terminal, signal), expected)
}

/** Whether the word was typed as it is, or the number in either of its forms: 1,234 is 1234, and 1,2,3,4 is a mistake. */
function isExpected(typed: string, expected: string): boolean {
  const answer = typed.trim()
  if (answer === expected) return true
  const number = expected.replaceAll(',', '')
  const isNumber = /^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(answer) && /^\d+$/.test(number)
  return isNumber && answer.replaceAll(',', '') === number
}

interface TextOptions {
  readonly validate?: ((text: string) => string | undefined) | undefined
  /** Nothing of it is shown while it is typed, on an accessible terminal either, which would echo it. */
  readonly isHidden?: boolean
}

/**
 * Asks for a line of text, until `validate` finds no problem with it, and returns it as it was typed. Throws exit 9 at the end of
 * input and when the question is left, 130 on Ctrl-C.
 */
export async function askText(
  question: string,
  options: TextOptions,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { validate = () => undefined, isHidden = false } = options
  const message = layOutQuestion(question, terminal)
  if (terminal.isPlain === true && !isHidden)
    return askLine(message, validate, terminal, signal)
  const { default: input } = await import('@inquirer/input')
  const transformer = (text: string, { isFinal }: { isFinal: boolean }): string => {
    if (!isHidden) return text
    return isFinal ? '' : '(not shown)\u001b[?25l'
  }
  return answer(terminal, signal, (context) =>
    input(
      {
        message,
        theme: { ...theme, validationFailureMode: 'clear' },
        transformer,
        validate: (text) => validate(text) ?? true,
      },
      context,
    ),
  )
}

/** Asked line by line, as a screen reader reads: the terminal itself edits the line, and nothing is drawn again. */
async function askLine(
  message: string,
  validate: (text: string) => string | undefined,
  { input, output }: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input, output, terminal: false })
  const ended = new AbortController()
  reader.once('close', () => ended.abort(noAnswer()))
  const stopped =
    signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal])
  try {
    for (;;) {
      const line = await reader.question(`${message} `, { signal: stopped })
      const problem = validate(line)
      if (problem === undefined) return line
      output.write(`${problem}\n`)
    }
  } catch (error) {
    throw stopped.aborted ? stopped.reason : error
  } finally {
    reader.close()
  }
}

function noAnswer(): SvcError {
  return new SvcError(
    'confirm',
    'the input ended before the question was answered; nothing was done',
  )
}

/** More than a terminal can show. */
const longestQuestion = 1 << 14

/** A long question is wrapped between words, with room for the mark before it and the answer after it. */
export function layOutQuestion(
  message: string,
  { columns }: Pick<Terminal, 'columns'>,
): string {
  const text = safe(message.slice(0, longestQuestion))
  return wrap(text, Math.max(20, columns - 12)).join('\n  ')
}

const same = (text: string): string => text

/** Without color: the terminal that is asked on need not be the one whose colors were decided. */
export const theme = {
  prefix: '?',
  icon: { cursor: '>' },
  style: {
    answer: same,
    message: same,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: same,
    highlight: same,
    disabled: same,
    searchTerm: same,
    description: same,
    key: (text: string) => `<${text}>`,
    keysHelpTip: () => 'type to search, Enter to choose',
  },
}

/** The streams and the signal with which a prompt of the package is run. */
interface Context {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  signal: AbortSignal
}

/** Runs a prompt on the terminal; its ways of ending without an answer become errors of ours. Esc leaves it: exit 9. */
export async function answer<T>(
  terminal: Terminal,
  signal: AbortSignal | undefined,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const { input } = terminal
  const ended = new AbortController()
  // Ctrl-D closes the line reader, which pauses its input; a prompt would then wait forever.
  const end = (): void => ended.abort(noAnswer())
  const onKey = (_: unknown, key?: { readonly name?: string }): void => {
    if (key?.name === 'escape')
      ended.abort(new SvcError('confirm', 'declined; nothing was sent'))
  }
  const events = ['pause', 'end', 'close', 'error'] as const
  const stopped =
    signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal])
  input.on('keypress', onKey)
  try {
    const running = run({ input, output: shield(terminal), signal: stopped })
    for (const event of events) input.on(event, end)
    return await running
  } catch (error) {
    // An interrupted prompt has also paused its input by then. The name of the error shows which came first.
    const name = error instanceof Error ? error.name : ''
    if (name === 'ExitPromptError')
      throw new SvcError('interrupted', 'interrupted; nothing was sent', { exitCode: 130 })
    throw name === 'AbortPromptError' ? stopped.reason : error
  } finally {
    input.off('keypress', onKey)
    for (const event of events) input.off(event, end)
  }
}

/** A prompt ends the stream that it wrote to; the next question still needs the terminal. */
function shield(terminal: Terminal): NodeJS.WritableStream {
  const { output } = terminal
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      // Written at once: the terminal is closed as soon as the answer is there.
      if (!output.destroyed) output.write(chunk)
      callback()
    },
  })
  // A prompt that is drawn again has to know how wide the window is by then.
  return Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => terminal.columns },
  })
}

/** One of several things to choose from. Its words may be anybody's. */
export interface Choice {
  readonly value: string
  readonly name: string
  /** Text that distinguishes it from others of the same name. */
  readonly detail: string
}

/** How many units of a choice are read: more than a terminal can show. */
const longestChoice = 1 << 14

/** Returns the value of the choice. Throws exit 9 when the question is left or its input ends, 130 on Ctrl-C. */
export async function askChoice(
  message: string,
  choices: readonly Choice[],
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { default: search } = await import('@inquirer/search')
  // Ids differ in their last digits.
  const lineOf = ({ name, detail }: Choice): string =>
    safe(`${name}  ${detail}`.slice(0, longestChoice)).replaceAll(
      /\b[0-9a-f]{18}([0-9a-f]{6})\b/gi,
      '…$1',
    )
  const source = (term = '') =>
    matching(choices, term).map((choice) => ({
      value: choice.value,
      name: truncate(lineOf(choice), Math.max(20, terminal.columns - 4)),
      short: safe(choice.name.slice(0, longestChoice)),
    }))
  return answer(terminal, signal, (context) =>
    search(
      { message: layOutQuestion(message, terminal), source, pageSize: 10, theme },
      context,
    ),
  )
}

/** Those that have every word of the term in them, or whose value begins with it. */
function matching(choices: readonly Choice[], term: string): readonly Choice[] {
  const wanted = term.trim().toLowerCase()
  return choices.filter(({ value, name, detail }) => {
    const text = `${name} ${detail}`.toLowerCase()
    const hasWords = wanted.split(/\s+/).every((word) => text.includes(word))
    return hasWords || value.toLowerCase().startsWith(wanted)
  })
}
