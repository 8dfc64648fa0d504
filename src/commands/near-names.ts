/** A name that was typed nearly as it is: a read takes it and says so, a write asks. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { AcceptNear, NearName } from '../api/names.ts'
import { SvcError } from '../errors.ts'
import type { Context } from '../cli/verb.ts'
import { shellWord } from '../words.ts'

export function noteNear({ note }: Pick<Context, 'note'>): AcceptNear {
  return ({ what, typed, name }) => note(`no ${what} is called "${typed}"; using "${name}"`)
}

/** For writes: --yes answers questions about what was typed, and this was not. */
export function askNear(context: Context, command: CommandUnknownOpts): AcceptNear {
  return async (near) => {
    const { what, typed, name, id } = near
    const words = `no ${what} is called "${typed}", but one is called "${name}"; nothing was sent`
    const hint = `a change needs the exact name:\n  ${exactCommand(context.host.argv, near, command)}`
    const refusal = new SvcError('rejected', words, { hint })
    await askAlways(context, `No ${what} is called "${typed}". Use "${name}" (${id})?`, refusal)
  }
}

/** Throws `refusal` with --yes, and where there is no terminal to ask on. */
export async function askAlways({ ask }: Pick<Context, 'ask'>, message: string, refusal: SvcError): Promise<void> {
  const answer = await ask(message)
  if (answer === undefined) throw refusal
  if (!answer) throw new SvcError('confirm', 'declined; nothing was sent')
}

/** The command line with the exact name: that of a list is an argument, that of an employee the value of an option. */
function exactCommand(argv: readonly string[], { what, typed, name, id }: NearName, command: CommandUnknownOpts) {
  const takesValue = new Set(valueFlags(command))
  const exact = isPlain(name) ? name : id
  const isValue = (index: number): boolean => takesValue.has(argv[index - 1] ?? '')
  // The last one: a noun or a verb may be the same word.
  const argument = argv.findLastIndex((word, index) => word === typed && !isValue(index))
  const words = argv.map((word, index) => {
    if (word === typed && (what === 'employee' ? isValue(index) : index === argument)) return exact
    const option = what === 'employee' ? /^(--(?:to|if-assignee)=)(.*)$/s.exec(word) : null
    return option?.[2] === typed ? `${option[1] ?? ''}${exact}` : word
  })
  return ['svc', ...words.map(shellWord)].join(' ')
}

/** The options that take the next word: of a command and those above it. */
function valueFlags({ options, parent }: CommandUnknownOpts): string[] {
  const own = options.flatMap(({ short, long, required }) => (required ? [short ?? '', long ?? ''] : []))
  return parent === null ? own : [...own, ...valueFlags(parent)]
}

/** Whether a name can be typed as it is: others are named by their id. */
function isPlain(name: string): boolean {
  return /^(?!-|id:|name:|[0-9a-f]{24}$)[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/iu.test(name)
}
