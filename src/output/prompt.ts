/** Questions, written to and read from the terminal itself. */
import { Writable } from 'node:stream'
import { SvcError } from '../errors.ts'
import type { Terminal } from '../host.ts'
import { safe, wrap } from './text.ts'

/** A confirmation: yes or no, with No when nothing is typed, or a word or number that must be typed. */
export interface Question {
  readonly kind: 'yes-no' | 'typed'
  readonly message: string
  /** What must be typed; a number may be typed with grouping commas. */
  readonly expected?: string
}

/** True when the answer is yes, or what was expected. Throws exit 9 at the end of input, 130 on Ctrl-C. */
export async function ask(question: Question, terminal: Terminal, signal?: AbortSignal): Promise<boolean> {
  if (question.kind === 'yes-no') {
    const { default: confirm } = await import('@inquirer/confirm')
    return prompted(terminal, signal, (context) =>
      confirm({ message: laidOut(question.message, terminal), default: false, theme }, context),
    )
  }
  const expected = question.expected ?? ''
  if (expected === '') throw new SvcError('internal', 'a typed confirmation needs the word to be typed')
  const words = /type [^:]*:\s*$/i.test(question.message) ? question.message : `${question.message} Type ${expected}:`
  return isExpected(await askText(words, {}, terminal, signal), expected)
}

function isExpected(typed: string, expected: string): boolean {
  const answer = typed.trim()
  if (answer === expected) return true
  // 1,234 is 1234; 1,2,3,4 is a mistake.
  const number = expected.replaceAll(',', '')
  return (
    /^\d+$/.test(number) &&
    (answer === number || (/^\d{1,3}(?:,\d{3})+$/.test(answer) && answer.replaceAll(',', '') === number))
  )
}

/** A line of text. `validate` returns what is wrong, or undefined. */
export async function askText(
  message: string,
  options: { validate?: (text: string) => string | undefined },
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { default: input } = await import('@inquirer/input')
  const { validate } = options
  return prompted(terminal, signal, (context) =>
    input(
      {
        message: laidOut(message, terminal),
        theme,
        ...(validate === undefined ? {} : { validate: (text: string) => validate(text) ?? true }),
      },
      context,
    ),
  )
}

/** A line that is not shown while it is typed. */
export async function askSecret(
  message: string,
  options: { validate: (text: string) => string | undefined },
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<string> {
  const { default: password } = await import('@inquirer/password')
  return prompted(terminal, signal, (context) =>
    password(
      {
        message: safe(message),
        toggleMask: false,
        theme,
        validate: (text) => options.validate(text) ?? true,
      },
      context,
    ),
  )
}

/** A long question breaks between its words; there is room for the mark before it and what is typed behind it. */
function laidOut(message: string, { columns }: Terminal): string {
  return wrap(safe(message), Math.max(20, columns - 12)).join('\n  ')
}

const same = (text: string): string => text

/** Without colour: the terminal that is asked on need not be the one whose colours were decided. */
const theme = {
  prefix: '?',
  style: {
    answer: same,
    message: same,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: same,
    highlight: same,
    key: (text: string) => `<${text}>`,
    maskedText: '(not shown)',
  },
}

interface Context {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  signal: AbortSignal
}

/** Runs a prompt on the terminal and turns its ways of ending without an answer into errors of ours. */
async function prompted<T>(
  terminal: Terminal,
  signal: AbortSignal | undefined,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const { input } = terminal
  const ended = new AbortController()
  // Ctrl-D closes the line reader, which pauses its input; a prompt would then wait for ever.
  const end = (): void => {
    ended.abort()
  }
  const events = ['pause', 'end', 'close', 'error'] as const
  try {
    const running = run({
      input,
      output: shield(terminal),
      signal: signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]),
    })
    for (const event of events) input.on(event, end)
    return await running
  } catch (error) {
    // A prompt that was interrupted has paused its input by now, too: the name of the error tells which came first.
    const name = error instanceof Error ? error.name : ''
    if (name === 'ExitPromptError') throw new SvcError('interrupted', 'interrupted', { exitCode: 130 })
    if (name !== 'AbortPromptError') throw error
    if (signal?.aborted === true) throw signal.reason
    throw new SvcError('confirm', 'the input ended before the question was answered; nothing was done')
  } finally {
    for (const event of events) input.off(event, end)
  }
}

/** A prompt ends the stream that it wrote to; the next question still needs the terminal. */
function shield(terminal: Terminal): NodeJS.WritableStream {
  const { output } = terminal
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      // Handed on at once: whoever is asked closes the terminal as soon as the answer is there.
      if (!output.destroyed) output.write(chunk)
      callback()
    },
  })
  return Object.assign(stream, { isTTY: true, columns: terminal.columns })
}
