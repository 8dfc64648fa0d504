import { withGlobalOptions } from '../src/program/global-options.ts'
import { nouns } from '../src/program/nouns.ts'
import { wholeOf, type WholeTree } from '../src/program/tree.ts'

export const program = withGlobalOptions(nouns)

/** Every command with all that is known of it. */
export function wholeTree(): Promise<WholeTree> {
  return wholeOf(program)
}
