import { startBulk } from '../../cli/start-bulk.ts'
import type { InputPart } from '../../bulk/sessions/start.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import type { Context } from '../../cli/context.ts'
import { reasonOption } from '../../cli/bulk-options.ts'
import { longFlag, type OptionValues } from '../../cli/options.ts'
import { usageError } from '../../errors.ts'
import { assignOutcomeView } from '../../views/bulk.ts'
import { shellWord } from '../../words.ts'
import { inputOptions as readingOptions } from '../../cli/input-options.ts'
import { readTable } from '../id-reading.ts'
import { lastOption, runArgument, typedRun } from './reading.ts'

const group = 'A part of its tickets (svc help id-files):'

const inputOptions = {
  file: {
    value: 'path',
    takes: 'file',
    summary: 'return only the tickets of this file, or - for standard input',
    isRepeatable: true,
    group,
  },
  column: { ...readingOptions.column, group },
  where: { ...readingOptions.where, group },
  sheet: { ...readingOptions.sheet, group },
  inputFormat: { ...readingOptions.inputFormat, group },
  skipInvalid: { ...readingOptions.skipInvalid, group },
} as const

export const undo = defineVerb({
  description:
    'Undo a run of tickets assign: each ticket that the run changed goes back to its previous assignee, but only while the\n' +
    'assignee is still the one that the run set. Tickets that already had that assignee, whose assignee before is not\n' +
    'known, or whose change no answer of the service confirmed stay as they are. A ticket for which an attempt whose\n' +
    'answer was lost can still take effect is left out, with the time from which undo takes it: exit 7. What an earlier undo\n' +
    'of the run gave back, or may have given back, is left alone. It is a new run with receipts of its own, and can be\n' +
    'undone too. With --file only the tickets of that file go back; another undo can return the rest. What other\n' +
    'commands changed cannot be undone.',
  examples: [
    'svc runs undo 20260301T101500Z-7f3a --dry-run',
    'svc runs undo --last --receipts undone.csv',
    'svc runs undo --last --file handover.xlsx --where back=yes',
  ],
  arguments: [runArgument],
  options: {
    ...lastOption,
    ...inputOptions,
    dryRun: { summary: 'only say how many tickets would be returned' },
    receipts: {
      value: 'file',
      takes: 'file',
      summary: 'write the outcome of each ticket (.csv, .xlsx or .ndjson)',
      isCarried: true,
    },
    reason: { ...reasonOption.reason, summary: 'why; kept with the undo', group: undefined },
    newKey: { summary: 'undo with a different key from the one the run was made with' },
    takeOver: {
      summary: 'take the lock of a run whose holder has shown no sign of life for a minute',
    },
  },
  effect: 'from input',
  isDestructive: false,
  isIdempotent: false,
  shows: { ...assignOutcomeView, schema: schemaOf('Summary') },
  run: async (context, [name], options) => {
    const { file, column, where, sheet, inputFormat, skipInvalid, ...others } = options
    const typed = { file, column, where, sheet, inputFormat, skipInvalid }
    const run = typedRun(name, options)
    return startBulk(context, {
      kind: 'undo',
      run,
      options: others,
      isDry: options.dryRun === true,
      part: file.length === 0 ? refuseAlone(typed) : await readPart(context, typed, options),
    })
  },
})

type InputOptions = OptionValues<typeof inputOptions>

type TypedInput = { readonly [K in keyof InputOptions]: InputOptions[K] | undefined }

/** Throws exit 2 for what says how to read a file, where there is none. */
function refuseAlone(typed: TypedInput): undefined {
  const [option] = wordsOf(typed)
  if (option !== undefined) throw usageError(`${option} goes with --file only`)
}

/** The tickets that are to go back, where they are not all of the run. Throws exit 2. */
async function readPart(
  context: Context,
  typed: TypedInput,
  options: InputOptions,
): Promise<InputPart> {
  const ids = await readTable(context, { files: options.file }, { ...options, isTickets: true })
  const words = wordsOf(typed).map((word) => ` ${shellWord(word)}`)
  return { ids, words: words.join('') }
}

/** Options as they can be typed again. */
function wordsOf(typed: TypedInput): string[] {
  return Object.entries(typed).flatMap(([key, value]) => {
    const option = longFlag(key, {})
    if (value === undefined) return []
    if (value === true) return [option]
    const values = typeof value === 'string' ? [value] : value
    return values.flatMap((text) => [option, text])
  })
}
