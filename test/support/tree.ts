import type { Argument, Option } from 'commander'
import { globalOptions } from '../../src/cli/options.ts'
import type { Verb } from '../../src/cli/verb.ts'
import { loadVerb, nouns, verbs as summaries } from '../../src/program/commands.ts'

/** What the table of commands and its verbs say of svc itself, a noun or a verb. */
export interface Page {
  readonly path: string
  readonly examples: readonly string[]
  readonly options: readonly Option[]
  readonly arguments: readonly Argument[]
  readonly commands: readonly Page[]
  /** Undefined of svc itself and of nouns. */
  readonly command?: Verb
}

async function pageOfVerb(path: string): Promise<Page> {
  const command = await loadVerb(path)
  const { examples = [], options = [], arguments: takes = [] } = command
  return { path: `svc ${path}`, examples, options, arguments: takes, commands: [], command }
}

const verbsOf = (isOwn: (path: string) => boolean) =>
  Promise.all(Object.keys(summaries).filter(isOwn).map(pageOfVerb))

const nounPages = await Promise.all(
  Object.entries(nouns).map(async ([name, { examples }]): Promise<Page> => {
    const commands = await verbsOf((path) => path.startsWith(`${name} `))
    return { path: `svc ${name}`, examples, options: [], arguments: [], commands }
  }),
)
const verbPages = await verbsOf((path) => !path.includes(' '))

/** svc itself, with every command below it. */
export const program: Page = {
  path: 'svc',
  examples: [],
  options: globalOptions,
  arguments: [],
  commands: [...nounPages, ...verbPages],
}

const pages = (page: Page): Page[] => [page, ...page.commands.flatMap(pages)]

export const allPages = pages(program)

/** Every verb: a command without others below it. */
export const verbs = allPages.filter(({ commands }) => commands.length === 0)
