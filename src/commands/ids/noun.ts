import { summaries } from '../../cli/summaries.ts'
import type { Noun } from '../../cli/command.ts'
import { check } from './check.ts'
import { dedupe } from './dedupe.ts'
import { intersect } from './intersect.ts'
import { subtract } from './subtract.ts'
import { union } from './union.ts'

export const ids: Noun = {
  path: 'ids',
  summary: summaries.ids,
  description: 'Check, clean and combine id files, in every format that the bulk commands read. No request is sent.',
  examples: ['svc ids check ids.txt', 'svc ids subtract ids.txt keep.txt > rest.txt'],
  commands: [check, dedupe, union, intersect, subtract],
}
