import { inputOptions, inputArgument, readInputs } from '../../cli/id-input.ts'
import { defineVerb, viewOf } from '../../cli/verb.ts'
import { exit } from '../../errors.ts'
import { one } from '../../output/result.ts'
import { pluralize } from '../../words.ts'
import type { CheckedIds } from '../../views/documents.ts'

const checkView = viewOf('CheckedIds', [
  'format',
  'read:number',
  'unique:number',
  'duplicates:number',
  'invalid:number',
  'sha256 as SHA-256',
])

export const verb = defineVerb({
  description:
    'Count the ids of an input and name its bad lines. With bad lines the exit code is 2, or 0 with --skip-invalid.',
  examples: [
    'svc ids check export.csv --column contact_id',
    'svc lists members VIP -o ids | svc ids check - --json',
  ],
  arguments: [inputArgument],
  options: inputOptions,
  effect: 'reads',
  shows: checkView,
  run: async (context, [word], options) => {
    const { describeBadLine } = await import('../../input/search.ts')
    const { sha256 } = await import('../../runs/items.ts')
    const { inputOf } = await import('../../input/input.ts')
    const read = await readInputs(context, [inputOf(context.host, word)], {
      ...options,
      skipInvalid: true,
    })
    for (const bad of read.bad) context.warn(describeBadLine(bad))
    const more = read.invalid - read.bad.length
    if (more > 0) context.warn(`and ${pluralize(more, 'more bad line')}`)
    const value: CheckedIds = {
      format: read.formats[0] ?? 'lines',
      read: read.read,
      unique: read.ids.size,
      duplicates: read.duplicates,
      invalid: read.invalid,
      sha256: sha256(read.ids.encode()),
      bad: read.bad.map(({ line, reason, text }) => ({ line, reason, text })),
    }
    return one(
      value,
      read.invalid > 0 && options.skipInvalid !== true ? { exitCode: exit.usage } : {},
    )
  },
})
