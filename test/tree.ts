import { withGlobalOptions } from '../src/program/global-options.ts'
import { nouns } from '../src/program/nouns.ts'
import { wholeOf, type WholeTree } from '../src/program/tree.ts'

export const program = withGlobalOptions(nouns)

/** Every command with all that is known of it. */
export function wholeTree(): Promise<WholeTree> {
  return wholeOf(program)
}

function pages(page: WholeTree): WholeTree[] {
  return [page, ...page.commands.flatMap(pages)]
}

export const allPages = pages(await wholeTree())

/** Every verb: a command without others below it. */
export const verbs = allPages.filter(({ commands }) => commands.length === 0)
