/** The options that every command takes, put behind those of the root: for `answers.ts`, `completion.ts` and `help/help.ts`. */
import { globalOptions } from '../cli/global-options.ts'
import { optionsOfTree, type Tree } from './tree.ts'

/** The program with the options that every command takes: for all but the help of a command, which does not show them. */
export function withGlobalOptions(program: Tree): Tree {
  return { ...program, options: optionsOfTree(globalOptions) }
}
