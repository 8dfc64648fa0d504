/** The options of commands that read ids: how files of them are read. */
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect } from '../cli/options.ts'
import { inputFormats } from '../ids/formats.ts'
import { parseChoice } from '../values.ts'

export type ReadingOptions = Partial<ReturnType<ReturnType<typeof readingOptions<[], { where: string[] }>>['opts']>>

export function readingOptions<A extends unknown[], O extends OptionValues>(command: Command<A, O>) {
  return command
    .option('--input-format <format>', `what the inputs are: ${inputFormats.join(', ')} (default: auto)`, (text) =>
      parseChoice(text, '--input-format', inputFormats),
    )
    .option('--column <name|n>', 'the column or key with the ids')
    .option('--sheet <name>', 'the sheet of a workbook (default: the only one with content)')
    .option('--where <column=value>', 'only rows of a table with this value; repeatable', collect, [] as string[])
    .option('--skip-invalid', 'skip bad lines instead of refusing the input')
}
