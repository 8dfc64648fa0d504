import { program } from '../src/program/nouns.ts'
import { wholeOf, type WholeTree } from '../src/program/tree.ts'

/** Every command with all that is known of it. */
export function wholeTree(): Promise<WholeTree> {
  return wholeOf(program)
}
