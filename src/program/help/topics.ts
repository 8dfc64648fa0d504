/**
 * The topics of `svc help <topic>`, for help and the manual page: the pages in `docs/topics` as paragraphs, wrapped where they are shown,
 * and indented blocks that keep their lines. `help.ts` prints them, and `completion.ts` offers their names.
 */
import spreadsheets from '../../../docs/topics/spreadsheets.md'
import environment from '../../../docs/topics/environment.md'
import output from '../../../docs/topics/output.md'
import exitCodes from '../../../docs/topics/exit-codes.md'
import idFiles from '../../../docs/topics/id-files.md'
import bulk from '../../../docs/topics/bulk.md'
import outcomesPage from '../../../docs/topics/outcomes.md'
import configuration from '../../../docs/topics/configuration.md'
import signing from '../../../docs/topics/signing.md'
import scripting from '../../../docs/topics/scripting.md'
import faults from '../../../docs/topics/faults.md'
import { membersOf, variableLines } from '../../config/table.ts'
import { wrap } from '../../output/text/width.ts'
import { reasons } from '../../directory/why.ts'
import { acceptableOf, outcomeFacts, outcomes } from '../../bulk/operations/outcome.ts'
import { commandOf, operationOf } from '../../bulk/operations/operations.ts'
import { bulkOperations, operations } from '../../api/operations.ts'
import { joinOr } from '../../words.ts'

const bulkCommands = bulkOperations.map((name) =>
  operationOf(name).items.pairs === undefined ? commandOf(name) : `${commandOf(name)} --file`,
)

const outcomeWidth = Math.max(...outcomes.map(({ length }) => length)) + 2

/** A line or more for each outcome, what is done first. */
const outcomeLines = outcomes
  .toSorted((a, b) => Number(outcomeFacts(b).isDone) - Number(outcomeFacts(a).isDone))
  .flatMap((outcome) =>
    wrap(outcomeFacts(outcome).meaning, 54).map(
      (line, at) => `  ${(at === 0 ? outcome : '').padEnd(outcomeWidth)}${line}`,
    ),
  )
  .join('\n')

export function topicText({ title, text }: (typeof topics)[number], width: number): string {
  const blocks = blocksOf(text).map(({ kind, lines }) =>
    (kind === 'literal'
      ? lines
      : lines
          .join(' ')
          .split('\n')
          .flatMap((line) => wrap(line, width))
    ).join('\n'),
  )
  return `${title}.\n\n${blocks.join('\n\n')}\n`
}

/** The pages in `docs/topics`, in the order in which they are listed. */
const pages = {
  spreadsheets,
  environment,
  output,
  'exit-codes': exitCodes,
  'id-files': idFiles,
  bulk,
  outcomes: outcomesPage,
  configuration,
  signing,
  scripting,
  faults,
}

/** `not-found or blocked of contacts delete, …`: the outcomes that each operation's `--accept` takes. */
function acceptableWords(): string {
  const words = bulkOperations.flatMap((name) => {
    const outcomes = acceptableOf(name)
    return outcomes.length === 0 ? [] : [`${joinOr(outcomes)} of ${commandOf(name)}`]
  })
  return words.join(', ')
}

/** Names of all operations, as a rule of `--faults` takes them: in lines below each other, indented as their column is. */
const operationLines = (): string =>
  wrap(Object.keys(operations).join(', '), 62).join(`\n${' '.repeat(13)}`)

/** Parts of the pages that come from the registries: each stands in its page as `{{name}}`. */
const derived: Readonly<Record<string, () => string>> = {
  variables: variableLines,
  operations: operationLines,
  bulkCommands: () => joinOr(bulkCommands),
  outcomes: () => outcomeLines,
  acceptable: acceptableWords,
  members: () => membersOf('every').join(', '),
  ownMembers: () => membersOf('own').join(', '),
  profileMembers: () => membersOf('profile').join(', '),
  reasons: () =>
    Object.values(reasons)
      .map((sentence) => `  ${sentence}`)
      .join('\n'),
}

/** A page of Markdown as plain text: code blocks are indented, and code in a sentence stands as it is. */
function plainText(markdown: string): string {
  const parts = markdown.split(/^```(?:text)?\n/m)
  const plain = parts.map((part, index) =>
    index % 2 === 1
      ? part.replace(/^(?=.)/gm, '  ')
      : part.replaceAll('`', '').replaceAll('\\.', '.'),
  )
  return plain
    .join('')
    .trim()
    .replace(/(?:^ {2})?\{\{(\w+)\}\}/gm, (_, name: string) => derived[name]?.() ?? '')
}

export const topics = Object.entries(pages).map(([name, page]) => {
  const [title = '', ...paragraphs] = plainText(page).split('\n\n')
  return { name, title: title.replace('# ', ''), text: paragraphs.join('\n\n') }
})

/** Topics of `svc help <word>`, each with its title. */
export function topicsPage(): string {
  const lines = topics.map(({ name, title }) => `  ${name.padEnd(15)}${title}`)
  return `Topics:\n  ${'options'.padEnd(15)}The global options\n${lines.join('\n')}\n\nTo read one: svc help <topic>\n`
}

/** Paragraphs, and indented blocks that keep their lines. */
interface Block {
  readonly kind: 'text' | 'literal'
  readonly lines: readonly string[]
}

export function blocksOf(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = []
  let open = false
  for (const line of text.split('\n')) {
    const kind = line.startsWith('  ') ? 'literal' : 'text'
    const last = blocks.at(-1)
    if (line.trim() === '') {
      open = false
    } else if (last !== undefined && last.kind === kind && open) {
      last.lines.push(line)
    } else {
      blocks.push({ kind, lines: [line] })
      open = true
    }
  }
  return blocks
}
