import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { collect } from '../../cli/options.ts'
import { listDifferenceView, sides } from '../../resources/list-difference.ts'
import { parseChoice } from '../../values.ts'
import { readingOptions } from '../id-reading.ts'

export const diff: Verb = (lists, run) =>
  readingOptions(
    defineCommand(lists, 'diff', 'compare a list with another list, or with a file of ids', [
      'svc lists diff VIP "Campaign 223"',
      'svc lists diff VIP --file ids.txt --only left -o ids',
    ]).option('--file <path>', 'a file of ids as the right side, or - for standard input', collect, [] as string[]),
  )
    .description(
      'Compare a list with another list, or with a file of contact ids. The exit code is 0 when both are equal, else 3.',
    )
    .argument('<list>', 'list id or name: the left side')
    .argument('[other]', 'list id or name: the right side')
    .option('--only <side>', `only these rows: ${sides.join(', ')} (default: those that differ)`, (text) =>
      parseChoice(text, '--only', sides),
    )
    .option('--allow-empty', 'accept a file without any id (default: exit 2)')
    .action(
      run({ ...listDifferenceView, schema: schemaOf('Differences') }, async (context, list, other, options) => {
        const { compared } = await import('./compared.ts')
        return compared(context, [list, other], options)
      }),
    )
