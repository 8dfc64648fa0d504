import { defineCommand, type Verb } from '../../cli/verb.ts'
import { check } from './check.ts'
import { dedupe } from './dedupe.ts'
import { intersect } from './intersect.ts'
import { subtract } from './subtract.ts'
import { union } from './union.ts'

export const ids: Verb = (program, run) => {
  const noun = defineCommand(program, 'ids', 'id files: check, clean and combine them', [
    'svc ids check ids.txt',
    'svc ids subtract ids.txt keep.txt > rest.txt',
  ]).description('Check, clean and combine id files, in every format that the bulk commands read. No request is sent.')
  for (const verb of [check, dedupe, union, intersect, subtract]) verb(noun, run)
}
