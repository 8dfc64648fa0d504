/**
 * A question with many answers, of which one is searched for and chosen: a list or an employee that the command line does not name
 * (`cli/context.ts`). With `ACCESSIBLE=1` it is a numbered list, for a screen reader.
 */
import type { Terminal } from '../../world.ts'
import { askLine, layOutQuestion, answer, same, theme } from './prompt.ts'
import { safe } from '../../safe-text.ts'
import { cells, truncate } from '../text/width.ts'

/** One of several things to choose from. Its words may be anybody's. */
export interface Choice {
  readonly value: string
  readonly name: string
  /** It tells it from others of the name. */
  readonly detail: string
}

/** Returns the value of the choice. Throws exit 9 when the question is left or its input ends, 130 on Ctrl-C. */
export async function askChoice(
  message: string,
  choices: readonly Choice[],
  terminal: Terminal,
  signal?: AbortSignal,
) {
  if (terminal.isPlain === true) return askNumber(message, choices, terminal, signal)
  const { default: search } = await import('@inquirer/search')
  const width = Math.max(20, terminal.columns - 4)
  const twins = twinNames(choices)
  const source = (term = '') =>
    matching(choices, term).map((choice) => {
      const { value, name } = choice
      const suffix = twins.has(name) ? ` (${value})` : ''
      const short = safe(name.slice(0, longestChoice) + suffix)
      return {
        value,
        name: fitChoice(choice, width),
        short,
      }
    })
  return answer(terminal, signal, 'nothing was chosen; nothing was sent', (context) =>
    search(
      {
        message: layOutQuestion(message, terminal),
        source,
        pageSize: choicesAtOnce,
        theme: searchTheme(terminal.columns),
      },
      context,
    ),
  )
}

/** Names that several choices have: the value of one tells which was chosen. */
function twinNames(choices: readonly Choice[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const twins = new Set<string>()
  for (const { name } of choices) {
    if (seen.has(name)) twins.add(name)
    seen.add(name)
  }
  return twins
}

const choicesAtOnce = 10
/** Units of a choice that are looked at: more than a terminal can show. */
const longestChoice = 1 << 14

function inWords({ name, detail }: Choice): string {
  return safe(`${name}  ${detail}`.slice(0, longestChoice))
}

/** Ids are told apart by their ends, so these stay; then the name gives way, down to a third, to what tells it from others. */
function fitChoice(choice: Choice, width: number): string {
  if (cells(inWords(choice)) <= width) return inWords(choice)
  const name = withEndsOfIds(choice.name)
  const detail = withEndsOfIds(choice.detail)
  const least = Math.floor(width / 3)
  const room = Math.max(least, width - cells(detail) - 2)
  return truncate(`${truncate(name, room)}  ${detail}`, width)
}

/** Each id as its last six digits. */
function withEndsOfIds(text: string): string {
  const start = text.slice(0, longestChoice)
  const shortened = start.replaceAll(/\b[0-9a-f]{18}([0-9a-f]{6})\b/gi, '…$1')
  return safe(shortened)
}

/** Those that have every word of the term in them, or whose value begins with it. */
function matching(choices: readonly Choice[], term: string): readonly Choice[] {
  const wanted = term.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  return choices.filter(({ value, name, detail }) => {
    const text = `${name} ${detail}`.toLowerCase()
    const hasWords = words.every((word) => text.includes(word))
    return hasWords || value.toLowerCase().startsWith(wanted)
  })
}

/** Chosen by number; the list is shown again when words narrow it. */
async function askNumber(
  message: string,
  choices: readonly Choice[],
  terminal: Terminal,
  signal?: AbortSignal,
) {
  let shown = choices
  const list = (): string => {
    const first = shown.slice(0, choicesAtOnce)
    const lines = first.map((choice, index) => `${index + 1}. ${inWords(choice)}`)
    const more = shown.length - lines.length
    if (more > 0) lines.push(`and ${more} more`)
    return lines.join('\n')
  }
  const choiceAt = (text: string): Choice | undefined => {
    const isNumber = /^\d{1,2}$/.test(text.trim())
    if (!isNumber) return undefined
    return shown.slice(0, choicesAtOnce)[Number(text) - 1]
  }
  const validate = (text: string): string | undefined => {
    if (choiceAt(text) !== undefined) return undefined
    const matches = matching(choices, text)
    if (matches.length === 0) return 'nothing matches'
    shown = matches
    return list()
  }
  const question = layOutQuestion(message, terminal)
  terminal.output.write(`${question}\n${list()}\n`)
  const typed = await askLine('Number, or words to search for:', validate, terminal, signal)
  return choiceAt(typed)?.value ?? ''
}

/** The looks of the search. Its help of keys is one line: where that would wrap, the shorter one stands there. */
function searchTheme(columns: number) {
  const keys = 'type to search, arrow keys to move, Enter to choose, Esc to leave'
  const keysHelpTip = () => (cells(keys) <= columns ? keys : 'type to search, Enter to choose')
  const style = {
    ...theme.style,
    disabled: same,
    searchTerm: same,
    description: same,
    keysHelpTip,
  }
  return { ...theme, icon: { cursor: '>' }, style }
}
