import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { add } from './add.ts'
import { list } from './list.ts'
import { path } from './path.ts'
import { remove } from './remove.ts'
import { show } from './show.ts'
import { use } from './use.ts'
import { examples } from '../../cli/options.ts'

export function profiles(program: Command, run: Run): void {
  const noun = program
    .command('profiles')
    .summary('base URL, key and secret under a name')
    .description("Base URL, key and secret under a name, in the user's configuration file.")
    .addHelpText('after', examples('svc profiles list', 'svc profiles show'))
  for (const verb of [list, show, add, use, remove, path]) verb(noun, run)
}
