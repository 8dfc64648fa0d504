import { definePairCommand } from '../../cli/bulk-command.ts'
import { mergeOne } from './merge-one.ts'

export const merge = definePairCommand(
  {
    path: 'contacts merge',
    operation: 'contacts.merge',
    summary: 'merge one contact into another; cannot be undone',
    description:
      'Merge one contact into another, or the pairs of a csv file with the columns source and target. This cannot be undone.',
    examples: [
      'svc contacts merge 6400057ed5aad2927b000026 \\\n    --into 640005a3d5aad2927b000027 --dry-run',
      'svc contacts merge --file pairs.csv --dry-run',
      'svc contacts merge --file pairs.csv --expect 2 --yes --receipts out.csv',
    ],
  },
  mergeOne,
)
