/**
 * A question with many answers, of which one is searched for and chosen: a list or an employee that the command line does not name
 * (`questions.ts`).
 */
import type { Terminal } from '../../world.ts'
import { answer, layOutQuestion, theme } from './prompt.ts'
import { safe } from '../../safe-text.ts'
import { truncate } from '../text/width.ts'

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
