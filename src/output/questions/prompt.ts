/**
 * Questions, asked by @inquirer on the terminal itself, which is there when stdin and stdout are pipes:
 * confirmations of a change, and the secret of `profiles add`. A question without an answer ends the command
 * with exit 9 before anything is done.
 */
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
  const { default: confirm } = await import('@inquirer/confirm')
  const choice = isYesUsual === true ? '(Y/n)' : '(y/N)'
  const style = {
    ...theme.style,
    // The choice stays in the question when it is answered.
    message: (text: string, status: string) =>
      status === 'done' ? `${text} ${choice}` : text,
  }
  const keywords = { yes: 'yes', no: 'no', error: () => 'answer y or n' }
  const config = {
    message: layOutQuestion(message, terminal),
    default: isYesUsual === true,
    transformer: (isYes: boolean) => (isYes ? 'y' : 'n'),
    theme: { ...theme, style, keywords },
  }
  return answer(terminal, signal, (context) => confirm(config, context))
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
  return isExpected(await askText(words, validate, terminal, signal), expected)
}

/** Whether the word was typed as it is, or the number in either of its forms: 1,234 is 1234, and 1,2,3,4 is a mistake. */
function isExpected(typed: string, expected: string): boolean {
  const answer = typed.trim()
  if (answer === expected) return true
  const number = expected.replaceAll(',', '')
  const isNumber = /^(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(answer) && /^\d+$/.test(number)
  return isNumber && answer.replaceAll(',', '') === number
}

/**
 * Asks for a line of text, until `validate` finds no problem with it, and returns it as it was typed. Throws exit 9 at the end of
 * input, 130 on Ctrl-C.
 */
export async function askText(
  question: string,
  validate: (text: string) => string | undefined,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { default: input } = await import('@inquirer/input')
  const config = {
    message: layOutQuestion(question, terminal),
    validate: (text: string) => validate(text) ?? true,
    theme: { ...theme, validationFailureMode: 'clear' as const },
  }
  return answer(terminal, signal, (context) => input(config, context))
}

/** Asks for a text of which nothing is shown while it is typed. Throws as `askText` does. */
export async function askSecret(
  question: string,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { default: password } = await import('@inquirer/password')
  const config = {
    message: layOutQuestion(question, terminal),
    toggleMask: false,
    theme: { ...theme, style: { ...theme.style, maskedText: '(not shown)' } },
  }
  return answer(terminal, signal, (context) => password(config, context))
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
    disabled: same,
    searchTerm: same,
    description: same,
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
  const end = (): void => ended.abort(noAnswer())
  const stopped =
    signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal])
  input.once('pause', end)
  try {
    return await run({ input, output, signal: stopped })
  } catch (error) {
    // An interrupted prompt has also paused its input by then. The name of the error shows which came first.
    const name = error instanceof Error ? error.name : ''
    if (name === 'ExitPromptError')
      throw new SvcError('interrupted', 'interrupted; nothing was sent', { exitCode: 130 })
    throw name === 'AbortPromptError' ? stopped.reason : error
  } finally {
    input.off('pause', end)
  }
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

/** Returns the value of the choice. Throws exit 9 at the end of input, 130 on Ctrl-C. */
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
