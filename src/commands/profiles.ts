import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../verb.ts'
import { add } from './profiles/add.ts'
import { list } from './profiles/list.ts'
import { path } from './profiles/path.ts'
import { remove } from './profiles/remove.ts'
import { show } from './profiles/show.ts'
import { use } from './profiles/use.ts'
import { examples } from './options.ts'

export function profiles(program: Command, run: Run): void {
  const noun = program
    .command('profiles')
    .summary('base URL, key and secret under a name')
    .description("Base URL, key and secret under a name, in the user's configuration file.")
    .addHelpText('after', examples('svc profiles list', 'svc profiles show'))
  for (const verb of [list, show, add, use, remove, path]) verb(noun, run)
}
