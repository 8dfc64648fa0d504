import type { Command } from '@commander-js/extra-typings'
import type { Run } from '../../cli/verb.ts'
import { check } from './check.ts'
import { dedupe } from './dedupe.ts'
import { intersect } from './intersect.ts'
import { subtract } from './subtract.ts'
import { union } from './union.ts'
import { examples } from '../../cli/options.ts'

export function ids(program: Command, run: Run): void {
  const noun = program
    .command('ids')
    .summary('id files: check, clean and combine them')
    .description('Check, clean and combine id files, in every format that the bulk commands read. No request is sent.')
    .addHelpText('after', examples('svc ids check ids.txt', 'svc ids subtract ids.txt keep.txt > rest.txt'))
  for (const verb of [check, dedupe, union, intersect, subtract]) verb(noun, run)
}
