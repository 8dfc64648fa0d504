import type { Argument, Option } from 'commander'
import { globalOptions } from '../../src/cli/options.ts'
import { type Verb } from '../../src/cli/verb.ts'
import { loadVerb, nouns, verbs as summaries } from '../../src/program/commands.ts'
import { capitalize } from '../../src/words.ts'

/** All that the table of commands and its verbs say of svc itself, a noun or a verb. */
export interface Page {
  /** The last word of the path. */
  readonly name: string
  /** `svc lists list`. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly usage: string
  readonly notes: string
  readonly examples: readonly string[]
  readonly options: readonly Option[]
  readonly arguments: readonly Argument[]
  readonly commands: readonly Page[]
  /** Undefined of svc itself and of nouns. */
  readonly command?: Verb
}

/** `[id...]`, `<list>`. */
function bracket(argument: Argument): string {
  const shown = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${shown}>` : `[${shown}]`
}

async function pageOfVerb(path: string): Promise<Page> {
  const command = await loadVerb(path)
  const takes = command.arguments ?? []
  const usage = command.usage ?? ['[options]', ...takes.map(bracket)].join(' ')
  return {
    name: path.replace(/.* /, ''),
    path: `svc ${path}`,
    summary: command.summary,
    description: (command.description ?? `${capitalize(command.summary)}.`).replaceAll(/\s+/g, ' '),
    usage: `svc ${path} ${usage}`,
    notes: command.notes ?? '',
    examples: command.examples ?? [],
    options: command.options ?? [],
    arguments: takes,
    commands: [],
    command,
  }
}

const nounPages = await Promise.all(
  Object.entries(nouns).map(
    async ([name, { summary, description = `${capitalize(summary)}.`, examples }]) => ({
      name,
      path: `svc ${name}`,
      summary,
      description: description.replaceAll(/\s+/g, ' '),
      usage: `svc ${name} <command> [options]`,
      notes: '',
      examples,
      options: [],
      arguments: [],
      commands: await Promise.all(
        Object.keys(summaries)
          .filter((path) => path.startsWith(`${name} `))
          .map(pageOfVerb),
      ),
    }),
  ),
)
/** The verbs without a noun, such as doctor. */
const verbPages = await Promise.all(
  Object.keys(summaries)
    .filter((path) => !path.includes(' '))
    .map(pageOfVerb),
)

/** svc itself, with every command below it. */
export const program: Page = {
  name: 'svc',
  path: 'svc',
  summary: 'manage the contacts, lists and tickets of a customer-conversation service',
  description: 'Manage the contacts, lists and tickets of a customer-conversation service.',
  usage: 'svc <command> [options]',
  notes: '',
  examples: [],
  options: globalOptions,
  arguments: [],
  commands: [...nounPages, ...verbPages],
}

function pages(page: Page): Page[] {
  return [page, ...page.commands.flatMap(pages)]
}

export const allPages = pages(program)

/** Every verb: a command without others below it. */
export const verbs = allPages.filter(({ commands }) => commands.length === 0)

/** The examples of a command, each in one line: a backslash at the end of a line joins it to the next. */
export function commandLines({ examples }: Pick<Page, 'examples'>): string[] {
  return examples.map((example) => example.replaceAll(/\\\n\s*/g, ''))
}
